/** Signing in with the hub's access token, and out again. The token itself is never kept in the browser. */

import { byID } from "./dom.js";
import { ApiError, closeSession, onUnauthorized, openSession } from "./api.js";

const FLAG = "offpeak.signedIn";
/** @type {((signedIn: boolean) => void)[]} */
let waiting = [];

/** Remembers only that a session was opened, for the label of the button. */
function mark(signedIn) {
  try {
    if (signedIn) localStorage.setItem(FLAG, "1");
    else localStorage.removeItem(FLAG);
  } catch {
    // Without storage the button just says "Sign in" after a reload.
  }
  byID("sign").textContent = signedIn ? "Sign out" : "Sign in";
  byID("sign").dataset.signedIn = String(signedIn);
}

function wasSignedIn() {
  try {
    return localStorage.getItem(FLAG) === "1";
  } catch {
    return false;
  }
}

/** Opens the dialog; resolves to whether the person signed in. */
export function signIn() {
  const dialog = /** @type {HTMLDialogElement} */ (byID("signin"));
  if (!dialog.open) {
    byID("signin-error").textContent = "";
    dialog.showModal();
    byID("token").focus();
  }
  return new Promise((resolve) => waiting.push(resolve));
}

function settle(signedIn) {
  for (const resolve of waiting) resolve(signedIn);
  waiting = [];
}

async function submit(event, opened) {
  event.preventDefault();
  const field = /** @type {HTMLInputElement} */ (byID("token"));
  const button = /** @type {HTMLButtonElement} */ (byID("signin-submit"));
  if (!field.value.trim()) {
    byID("signin-error").textContent = "Enter the access token.";
    field.focus();
    return;
  }
  button.disabled = true;
  try {
    await openSession(field.value.trim());
    field.value = "";
    mark(true);
    settle(true);
    /** @type {HTMLDialogElement} */ (byID("signin")).close();
    opened();
  } catch (error) {
    byID("signin-error").textContent = error instanceof ApiError && error.status === 401
      ? "This token is not valid." : error.text ?? String(error);
    field.select();
  } finally {
    button.disabled = false;
  }
}

async function toggle(opened) {
  if (byID("sign").dataset.signedIn !== "true") {
    signIn();
    return;
  }
  try {
    await closeSession();
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 401) {
      byID("alerts").textContent = error.text ?? String(error);
      return;
    }
  }
  mark(false);
  opened();
}

/** A token in the address (`#token=…`) becomes a session and leaves the address bar before anything else happens. */
async function takeFragment() {
  const token = new URLSearchParams(location.hash.slice(1)).get("token");
  if (!token) return;
  history.replaceState(null, "", location.pathname + location.search);
  try {
    await openSession(token);
    mark(true);
  } catch (error) {
    byID("alerts").textContent = `The token in the address was not accepted: ${error.text ?? error}`;
  }
}

/** @param {() => void} opened called when a session was opened or closed, to load anew */
export async function setUpSession(opened) {
  mark(wasSignedIn());
  const dialog = byID("signin");
  byID("signin-form").addEventListener("submit", (event) => submit(event, opened));
  byID("signin-cancel").addEventListener("click", () => /** @type {HTMLDialogElement} */ (dialog).close());
  dialog.addEventListener("close", () => settle(false));
  byID("sign").addEventListener("click", () => toggle(opened));
  onUnauthorized(() => {
    mark(false);
    return signIn();
  });
  await takeFragment();
  addEventListener("hashchange", async () => {
    await takeFragment();
    opened();
  });
}

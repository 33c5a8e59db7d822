/** Calls to the hub's API. Addresses are relative to this file, so a path prefix of a proxy is no matter. */

const base = new URL("../api/v1/", import.meta.url);

/** The address of an API path. */
export const address = (path) => new URL(path, base).href;

/** An id as one piece of a path, whatever characters it has. */
export const piece = (id) => encodeURIComponent(id);

/** What went wrong with a call: `detail` is for the person, `status` 0 means the hub did not answer. */
export class ApiError extends Error {
  /** @param {number} status @param {string} detail @param {string} [code] @param {number|null} [retryAfter] seconds */
  constructor(status, detail, code, retryAfter = null) {
    super(detail);
    this.status = status;
    this.code = code;
    this.retryAfter = retryAfter;
  }

  /** The whole sentence to show. */
  get text() {
    return this.retryAfter ? `${this.message} Try again in ${this.retryAfter} s.` : this.message;
  }
}

/** The body as JSON, or null where there is none or it is something else. */
async function json(response) {
  try {
    return await response.json();
  } catch {
    return null;
  }
}

/** @param {string} method @param {string} path @param {any} [body] @returns {Promise<any>} */
async function call(method, path, body) {
  let response;
  try {
    response = await fetch(address(path), {
      method, credentials: "same-origin", cache: "no-store",
      headers: body === undefined ? { Accept: "application/json" }
        : { Accept: "application/json", "Content-Type": "application/json" },
      body: body === undefined ? undefined : JSON.stringify(body),
      signal: AbortSignal.timeout(20_000),
    });
  } catch {
    throw new ApiError(0, "The hub does not answer.");
  }
  if (response.ok) return response.status === 204 ? null : json(response);
  const problem = await json(response);
  const retry = Number.parseInt(response.headers.get("Retry-After") ?? "", 10);
  throw new ApiError(response.status, problem?.detail || problem?.title || `The hub answered ${response.status}.`,
    problem?.code, Number.isFinite(retry) ? retry : null);
}

export const get = (path) => call("GET", path);

/** Asks for a sign-in; set by the sign-in dialog. Resolves to whether the person signed in. */
let askForToken = async () => false;
export function onUnauthorized(handler) {
  askForToken = handler;
}

/** A call that a missing credential interrupts: after signing in it is made once more. */
export async function guarded(method, path, body) {
  try {
    return await call(method, path, body);
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 401) throw error;
    if (!(await askForToken())) throw new ApiError(401, "Not changed: this needs the hub's access token.");
    return call(method, path, body);
  }
}

export const post = (path, body) => guarded("POST", path, body);
export const put = (path, body) => guarded("PUT", path, body);
export const clear = (path) => guarded("DELETE", path);
export const openSession = (token) => call("POST", "session", { token });
export const closeSession = () => call("DELETE", "session");

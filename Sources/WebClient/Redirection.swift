/// Where a redirection leads, and what may be sent there.
enum Redirection {
    private static let statuses: Set<Int> = [301, 302, 303, 307, 308]
    /// What says nothing about who asks.
    private static let harmless = ["Accept", "Accept-Language", "User-Agent"]

    /// The address to ask next; nil if the answer is no redirection, or none to follow.
    /// - Throws: `WebClientError.redirectRefused`.
    static func target(
        of head: WebAnswerHead, to request: WebRequest, at address: WebAddress
    ) throws(WebClientError) -> WebAddress? {
        guard request.maximumRedirects > 0, statuses.contains(head.status),
            request.method == "GET" || request.method == "HEAD",
            let location = head.headers.values("Location").first
        else { return nil }
        let target: WebAddress
        do throws(WebClientError) {
            target = try WebAddress(location, relativeTo: address)
        } catch {
            throw .redirectRefused("it leads to no address")
        }
        if address.scheme == "https", target.scheme == "http" {
            throw .redirectRefused("it leads away from https")
        }
        if request.unixSocket != nil, target.origin != address.origin {
            throw .redirectRefused("it leads away from the unix socket")
        }
        return target
    }

    /// The request for the new address; at another origin without anything that could be a secret.
    static func request(_ request: WebRequest, from old: WebAddress, to new: WebAddress) -> WebRequest {
        var next = request
        next.url = new.text
        next.body = nil
        guard old.origin != new.origin else { return next }
        next.headers = WebHeaders()
        next.digest = nil
        next.pinnedKey = nil
        for name in harmless { next.headers[name] = request.headers[name] }
        return next
    }
}

// Where the browser finds the gateway. A reverse proxy may serve it below a path of its own, such as /gw, which it removes from requests:
// only the URL of this script tells.

/** `/console`, below the path of the proxy. Scripts are in its folder `assets`. */
export const CONSOLE_PATH = new URL('..', import.meta.url).pathname.replace(/\/$/, '')

/** Empty, or the path of the proxy. */
export const GATEWAY_PATH = CONSOLE_PATH.slice(0, -'/console'.length)

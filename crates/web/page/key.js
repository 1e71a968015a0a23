// The page's half of the login. Storage belongs to an origin, which includes the port, while the cookie is sent to every port
// of the host. The server requires both.

const NAME = "vtr.key";

/** @returns {string} empty if there is none */
export function loginKey() {
  try {
    return localStorage.getItem(NAME) ?? "";
  } catch {
    return ""; // storage is disabled
  }
}

/** @param {string} key @returns {boolean} whether the browser has kept it */
export function keepLoginKey(key) {
  try {
    localStorage.setItem(NAME, key);
    return true;
  } catch {
    return false;
  }
}

export function forgetLoginKey() {
  try {
    localStorage.removeItem(NAME);
  } catch {
    // Storage is disabled, so there is no key.
  }
}

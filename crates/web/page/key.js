// The page's half of the login. Storage belongs to an origin, port included; the cookie beside it goes to every port of the
// host. The server wants both.

const NAME = "vtr.key";

/** @returns {string} empty if there is none */
export function loginKey() {
  try {
    return localStorage.getItem(NAME) ?? "";
  } catch {
    return ""; // a browser that keeps nothing
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
    // Then there is none.
  }
}

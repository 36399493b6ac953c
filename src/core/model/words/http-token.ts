/** RFC 9110, "Tokens": methods and names of headers. */
export const HTTP_TOKEN: RegExp = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

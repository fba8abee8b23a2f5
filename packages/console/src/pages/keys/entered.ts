// Whether a text is what a field of a key takes. Pure: the form marks mistakes before it is sent.

/** Above zero. */
export const isAmount = (text: string): boolean => /^\d{1,9}(\.\d{1,9})?$/.test(text) && !/^0*(\.0*)?$/.test(text)

/** The number of requests or tokens. */
export const isCount = (text: string): boolean => /^[1-9]\d{0,8}$/.test(text)

/** Only the form of an address: the gateway checks the rest. */
export const isNetwork = (text: string): boolean =>
  /^(\d{1,3}\.){3}\d{1,3}(\/\d{1,2})?$/.test(text) || /^[\da-f:.]*:[\da-f:.]*(\/\d{1,3})?$/i.test(text)

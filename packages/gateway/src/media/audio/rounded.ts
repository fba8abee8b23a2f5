/** What an encoder adds to fill its first and last frames. */
const FILLING_SECONDS = 0.25

/**
 * What was counted, or what the file says of itself where that leaves out no more than what encoders add. A file that says more
 * than was counted is believed.
 */
export const roundedTo = (counted: number, said: number): number =>
  said >= counted - FILLING_SECONDS && said > 0 ? said : counted

/** Every signature that the gateway has sealed begins like this. */
export const SEAL_PREFIX = 'gw1.'

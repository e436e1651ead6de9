/** The app that a fleet serves. */
export const fleetApp = 'demo';

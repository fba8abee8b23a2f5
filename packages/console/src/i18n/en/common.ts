// Texts that several pages share.

export const common = {
  unlimited: 'Unlimited',
  skipToContent: 'Skip to content',
  loading: 'Loading',
  retry: 'Retry',
  cancel: 'Cancel',
  close: 'Close',
  save: 'Save',
  saved: 'Saved.',
  copy: 'Copy',
  copied: 'Copied',
  optional: 'optional',
  search: 'Search',
  searchHint: 'Press / to search',
  nextPage: 'Next',
  previousPage: 'Previous',
  firstPage: 'First page',
  pages: 'Pages',
  noMatch: 'Nothing matches.',
  moreMatches: (count: number) => `${count} more. Type to narrow down.`,
  downloadCsv: 'Download CSV',
  showPassword: 'Show',
  hidePassword: 'Hide',
  more: 'More actions',
  none: 'None',
  ofCap: (spent: string, cap: string) => `${spent} of ${cap} USD`,
  help: (page: string) => `Help: ${page}`,
  support: 'Get help',
  leave: {
    leave: 'Leave',
    stay: 'Stay on this page',
    form: 'Discard your changes?',
    formText: 'They are not saved yet.',
    discard: 'Discard',
    keep: 'Continue editing',
  },
  notFound: { title: 'Page not found', text: 'There is no page at this URL.', action: 'Go to the overview' },
  crashed: {
    title: 'This page failed',
    text: 'An error in the console stopped this page. Reload it to continue.',
    action: 'Reload',
  },
  notLoaded: {
    title: 'The gateway could not be reached',
    text: 'This page is not loaded yet. Check your connection; the console retries automatically.',
  },
  /** `time`: of the oldest figures on screen. */
  loss: {
    unreachable: (time: string) => `No connection to the gateway since ${time}. Figures are from then.`,
    failing: (time: string) => `The gateway has been responding with errors since ${time}. Figures are from then.`,
    some: (time: string) => `Some figures on this page cannot be read at the moment. They are from ${time}.`,
  },
  requestId: (id: string) => `Request ID: ${id}`,
}

export const nav = {
  label: 'Main',
  available: 'Available',
  signOut: 'Sign out',
  account: 'Account',
  disabled:
    'This account is disabled: its keys are rejected and nothing can be changed. Ask the operator of this gateway.',
  place: 'Area',
  mine: 'My account',
  operate: 'Operate',
  theme: 'Theme',
  language: 'Language',
}

export const help = {
  title: 'Documentation',
  search: 'Search the pages',
  missing: 'The documentation has no such page.',
  /** Only where the documentation is in another language than the console. */
  translated: '',
}

export const theme = { system: 'System', light: 'Light', dark: 'Dark' }

/** By the message of the gateway: the code `conflict` has many causes. English shows the message itself. */
export const conflicts: Record<string, string> = {}

/** By the code of the API's error. Codes without a text show the gateway's own message. */
export const errors: Record<string, string> = {
  not_signed_in: 'Your session has ended. Sign in again.',
  unreachable: 'The gateway cannot be reached. Check your connection and retry.',
  service_unavailable: 'The gateway is busy. Retry in a few seconds.',
  overloaded: 'The gateway is busy. Retry in a few seconds.',
  foreign_page:
    'The gateway does not expect the console at this URL. Open it at its public URL. (Operators: set server.public_url.)',
}

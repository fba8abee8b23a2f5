/** What the URL of the page can say, with the defaults. */
export const FILTERS = {
  range: '7d',
  from: '',
  to: '',
  by: 'model',
  measure: 'spend',
  model: '',
  key: '',
  outcome: '',
  view: 'served',
  before: '',
  after: '',
  request: '',
}

export const ledger = {
  title: 'Ledger',
}

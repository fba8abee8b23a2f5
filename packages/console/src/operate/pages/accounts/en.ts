export const accounts = {
  title: 'Accounts',
}

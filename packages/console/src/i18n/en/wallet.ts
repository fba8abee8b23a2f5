export const wallet = {
  title: 'Wallet',
}

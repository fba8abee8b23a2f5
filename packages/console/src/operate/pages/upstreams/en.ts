export const upstreams = {
  title: 'Upstreams',
}

// What a change means in numbers, by the names that the API's dry runs give them. Those without a text are shown as they are.
export const effects: Record<string, (value: string) => string> = {
  active_keys: (value) => (value === '1' ? '1 active key stops working.' : `${value} active keys stop working.`),
  running_requests: (value) => (value === '1' ? '1 request is running.' : `${value} requests are running.`),
  held_usd: (value) => `${value} USD is held for running requests.`,
  models_no_longer_offered: (value) =>
    value === '1' ? '1 model can no longer be called.' : `${value} models can no longer be called.`,
  keys_in_group: (value) => (value === '1' ? '1 key is in this group.' : `${value} keys are in this group.`),
  keys_that_lose_models: (value) =>
    value === '1' ? '1 key can call fewer models.' : `${value} keys can call fewer models.`,
  refund_usd: (value) => `${value} USD is credited.`,
  balance_after_usd: (value) => `The balance will be ${value} USD.`,
  sessions_ended: (value) => (value === '1' ? '1 browser is signed out.' : `${value} browsers are signed out.`),
  admin_keys_stopped: (value) =>
    value === '1'
      ? '1 admin key that they created stops working.'
      : `${value} admin keys that they created stop working.`,
  models_left_without_route: (value) =>
    value === '1' ? '1 model loses its last route.' : `${value} models lose their last route.`,
  models_without_route: (value) => `Without a route: ${value}`,
  sandbox_off: () => 'The sandbox is turned off: its models can no longer be called.',
  sandbox_on: () => 'The sandbox is turned on.',
  registration_closed: () => 'Registration is closed: nobody can sign up without an invitation.',
  trial_credit_taken_back: () => 'Unspent trial credit of the sandbox is removed.',
  default_group_written: () => 'The group default is created too: every model at multiplier 1, as without groups.',
  changed: (value) => `${value} will change.`,
  unchanged: (value) => (value === '1' ? '1 stays the same.' : `${value} stay the same.`),
  rejected: (value) => (value === '1' ? '1 cannot be changed.' : `${value} cannot be changed.`),
  first_rejection: (value) => `Reason for the first: ${value}`,
  balance_usd: (value) => `The current balance is ${value} USD.`,
  balance_lost_usd: (value) => `The balance of ${value} USD can no longer be spent.`,
  codes: (value) => (value === '1' ? '1 code.' : `${value} codes.`),
  total_usd: (value) => `Total value: ${value} USD.`,
  open_usd: (value) => `${value} USD can no longer be redeemed.`,
}

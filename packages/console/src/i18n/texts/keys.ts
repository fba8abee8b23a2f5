import { en, same, texts } from '../say.ts'

export const keys = texts({
  title: en('Keys').zh('密钥'),
  text: en('Clients send a key with every request. Each key has its own group, spending cap and limits.').zh(
    '客户端的每个请求都要携带密钥。每个密钥都有自己的分组、消费上限和限制。',
  ),
  create: en('Create key').zh('创建密钥'),
  search: en('Search by name or last four characters').zh('按名称或末四位搜索'),
  stateFilter: en('State').zh('状态'),
  states: {
    active: en('Active').zh('有效'),
    expired: en('Expired').zh('已过期'),
    deleted: en('Deleted').zh('已删除'),
    all: en('All').zh('全部'),
  },
  total: en((count: number, shown: string) => (count === 1 ? '1 key' : `${shown} keys`)).zh(
    (_, shown) => `共 ${shown} 个密钥`,
  ),
  list: {
    label: en('Keys').zh('密钥'),
    name: en('Name').zh('名称'),
    secretEnding: en((lastFour: string) => `ends in ${lastFour}`).zh((lastFour) => `以 ${lastFour} 结尾`),
    group: en('Group').zh('分组'),
    spent: en('Spent').zh('已消费'),
    expires: en('Expires').zh('过期时间'),
    lastUsed: en('Last used').zh('上次使用'),
    neverExpires: en('Never').zh('永不过期'),
    neverUsed: en('Never').zh('从未使用'),
    state: en('State').zh('状态'),
    actions: en('Actions').zh('操作'),
    actionsOf: en((name: string) => `Actions for ${name}`).zh((name) => `${name} 的操作`),
    noCap: en('no cap').zh('无上限'),
    of: en('of').zh('/'),
    per: {
      day: en('per day').zh('每天'),
      week: en('per week').zh('每周'),
      month: en('per month').zh('每月'),
    },
    spentLabel: en((spent: string, cap: string) => `${spent} of ${cap} USD spent`).zh(
      (spent, cap) => `已消费 ${spent} USD，上限 ${cap} USD`,
    ),
    madeBy: en((name: string) => `Made by ${name}`).zh((name) => `创建者：${name}`),
    operator: en('an operator').zh('运营人员'),
    formerPerson: en('a former member').zh('已离开的成员'),
    builtIn: en('Built-in').zh('内置'),
    companyToken: en('Company token').zh('公司令牌'),
    formerUntil: en('Previous secret works until').zh('旧密钥有效至'),
    restricted: en('Restricted').zh('受限'),
  },
  empty: {
    title: en('No active keys').zh('没有有效的密钥'),
    text: en('Create a key to call models. You decide how much it can spend and when it expires.').zh(
      '创建密钥以调用模型。您可以设置它的消费上限和过期时间。',
    ),
    filtered: en('No key matches').zh('没有匹配的密钥'),
    clear: en('Clear filters').zh('清除筛选'),
  },
  actions: {
    edit: en('Edit').zh('编辑'),
    connect: en('Connect a client').zh('接入客户端'),
    rotate: en('Rotate secret').zh('轮换密钥'),
    usage: en('Show usage').zh('查看用量'),
    delete: en('Delete').zh('删除'),
  },
  form: {
    createTitle: en('Create a key').zh('创建密钥'),
    editTitle: en((name: string) => `Edit ${name}`).zh((name) => `编辑 ${name}`),
    submit: en('Create key').zh('创建密钥'),
    saved: en((name: string) => `Saved ${name}.`).zh((name) => `已保存 ${name}。`),
    name: en('Name').zh('名称'),
    nameHint: en('What the key is for. Use a separate key for each application.').zh(
      '密钥的用途。请为每个应用使用单独的密钥。',
    ),
    namePlaceholder: same('my-app'),
    group: en('Group').zh('分组'),
    groupHint: en('Decides which models the key can call, and at which prices.').zh(
      '决定此密钥可以调用哪些模型，以及价格。',
    ),
    groupOption: en((id: string, models: number) => `${id} (${models === 1 ? '1 model' : `${models} models`})`).zh(
      (id, models) => `${id}（${models} 个模型）`,
    ),
    groupPrice: en((multiplier: string) =>
      multiplier === '1' ? 'Normal prices.' : `Normal prices multiplied by ${multiplier}.`,
    ).zh((multiplier) => (multiplier === '1' ? '标准价格。' : `标准价格的 ${multiplier} 倍。`)),
    groupModels: en((names: string, more: number) => (more > 0 ? `${names} and ${more} more.` : `${names}.`)).zh(
      (names, more) => (more > 0 ? `${names}，另有 ${more} 个。` : `${names}。`),
    ),
    groupGone: en('This group is no longer available to you. The key keeps it until you choose another.').zh(
      '此分组已不再对您开放。选择其他分组之前，密钥仍使用原分组。',
    ),
    cap: en('Spending cap (USD)').zh('消费上限（USD）'),
    /** `limit`: set by the operator. */
    most: en((limit: string) => `At most ${limit}, set by the operator.`).zh(
      (limit: string) => `最多 ${limit}，由运营人员设置。`,
    ),
    capHint: en('Recommended. Requests that could exceed it are rejected.').zh(
      '建议设置。可能超出上限的请求会被拒绝。',
    ),
    capPlaceholder: en('No cap').zh('无上限'),
    period: en('Cap resets').zh('上限重置'),
    periods: {
      never: en('Never').zh('不重置'),
      day: en('Every day').zh('每天'),
      week: en('Every week').zh('每周'),
      month: en('Every month').zh('每月'),
    },
    expiry: en('Expires').zh('过期时间'),
    expiryHint: en('Recommended. An expired key is rejected; you can extend it later.').zh(
      '建议设置。过期的密钥会被拒绝，之后可以延期。',
    ),
    expiries: {
      never: en('Never').zh('永不过期'),
      days7: en('In 7 days').zh('7 天后'),
      days30: en('In 30 days').zh('30 天后'),
      days90: en('In 90 days').zh('90 天后'),
      days365: en('In a year').zh('一年后'),
      custom: en('At a specific time').zh('指定时间'),
    },
    keepExpiry: en((time: string) => `On ${time}`).zh((time) => time),
    expiryTime: en('Expiry time').zh('具体过期时间'),
    tags: en('Tags').zh('标签'),
    tagsHint: en('What the requests are for, such as team=search, env=prod. Separate them by commas.').zh(
      '请求的用途，例如 team=search, env=prod，用逗号分隔。',
    ),
    tagsAllowed: en((tags: string) => `Allowed values: ${tags}.`).zh((tags) => `允许的值：${tags}。`),
    tagsMore: en((tags: string, more: number) => `${tags} and ${more} more`).zh(
      (tags, more) => `${tags} 等，另有 ${more} 个`,
    ),
    tagsRequired: en((names: string) => `Every request needs: ${names}.`).zh((names) => `每个请求必须带有：${names}。`),
    tagsOfOperator: en('The operator has set these tags.').zh('这些标签由运营人员设置。'),
    tagsLocked: en('Lock these tags').zh('锁定这些标签'),
    tagsLockedHint: en('Neither the account holder nor a request can change them.').zh(
      '账户持有人和请求都不能更改它们。',
    ),
    restrictions: en('Restrictions').zh('限制'),
    models: en('Models').zh('模型'),
    allModels: en('All models of the group').zh('分组中的所有模型'),
    someModels: en('Only chosen models').zh('仅限所选模型'),
    chooseModels: en('Choose models').zh('选择模型'),
    filterModels: en('Filter models').zh('筛选模型'),
    chosenModels: en((count: number) => (count === 1 ? '1 model chosen' : `${count} models chosen`)).zh(
      (count) => `已选择 ${count} 个模型`,
    ),
    noModels: en('No model matches.').zh('没有匹配的模型。'),
    networks: en('IP addresses').zh('IP 地址'),
    networksHint: en(
      'One address or range per line, such as 192.0.2.7 or 2001:db8::/32. Leave empty to allow any address.',
    ).zh('每行一个地址或网段，例如 192.0.2.7 或 2001:db8::/32。留空表示不限。'),
    limits: en('Limits').zh('速率限制'),
    limitsHint: en('Leave empty to apply only the limits of the account.').zh('留空表示只受账户级限制。'),
    rpm: en('Requests per minute').zh('每分钟请求数'),
    tpm: en('Tokens per minute').zh('每分钟 Token 数'),
    concurrent: en('Concurrent requests').zh('并发请求数'),
    errors: {
      name: en('Enter a name of 1 to 100 characters.').zh('请输入 1 到 100 个字符的名称。'),
      cap: en('Enter an amount above zero, such as 12.50.').zh('请输入大于零的金额，例如 12.50。'),
      expiry: en('Choose a time in the future.').zh('请选择将来的时间。'),
      models: en('Choose at least one model.').zh('请至少选择一个模型。'),
      networks: en((entry: string) => `${entry} is not an IP address or range.`).zh(
        (entry) => `${entry} 不是有效的 IP 地址或网段。`,
      ),
      tags: en('Enter at most 16 tags of at most 64 characters, such as team=search.').zh(
        '请输入最多 16 个标签，每个不超过 64 个字符，例如 team=search。',
      ),
      tagNotAllowed: en((tag: string, allowed: string) => `${tag} is not allowed. Use one of: ${allowed}.`).zh(
        (tag, allowed) => `不允许 ${tag}，请使用：${allowed}。`,
      ),
      limit: en('Enter a whole number above zero.').zh('请输入大于零的整数。'),
    },
  },
  secret: {
    title: en('Store this key now').zh('请立即保存此密钥'),
    leave: en((name: string) => `Leave without storing the secret of ${name}?`).zh(
      (name) => `尚未保存密钥 ${name}，确定离开吗？`,
    ),
    leaveText: en('The secret is lost: it cannot be shown again. You can rotate the key to get another.').zh(
      '密钥将丢失，无法再次显示。您可以轮换密钥来重新获取。',
    ),
    text: en((name: string) => `The secret of ${name} is shown only once. It cannot be shown again.`).zh(
      (name) => `密钥 ${name} 只显示这一次，之后无法再次查看。`,
    ),
    label: en('Secret').zh('密钥'),
    stored: en('I have stored it').zh('我已保存'),
    done: en('Done').zh('完成'),
    rulesTitle: en('Keep it safe').zh('妥善保管'),
    rules: en([
      'Never commit a key to version control, put it in front-end code or post it publicly.',
      'Use a separate key for each application.',
      'If a key leaks, delete it here and create a new one.',
    ]).zh([
      '不要将密钥提交到版本控制、写入前端代码或公开发布。',
      '为每个应用使用单独的密钥。',
      '如果密钥泄露，请在此删除并创建新的密钥。',
    ]),
  },
  rotate: {
    title: en((name: string) => `Rotate the secret of ${name}?`).zh((name) => `轮换密钥 ${name}？`),
    text: en(
      (lastFour: string) =>
        `A new secret is created and shown once. Name, group, cap and limits stay the same. The current secret ends in ${lastFour}.`,
    ).zh((lastFour) => `将生成新密钥，只显示一次。名称、分组、上限和限制保持不变。当前密钥以 ${lastFour} 结尾。`),
    grace: en('Current secret stops working').zh('当前密钥失效时间'),
    graceHint: en('Choose how long your clients need to switch. If it has leaked, choose “Immediately”.').zh(
      '选择客户端切换所需的时间。如果已经泄露，请选择“立即”。',
    ),
    graces: {
      none: en('Immediately').zh('立即'),
      hour: en('In 1 hour').zh('1 小时后'),
      day: en('In 24 hours').zh('24 小时后'),
      days3: en('In 3 days').zh('3 天后'),
      week: en('In 7 days').zh('7 天后'),
    },
    submit: en('Rotate secret').zh('轮换密钥'),
  },
  remove: {
    title: en((name: string) => `Delete the key ${name}?`).zh((name) => `删除密钥 ${name}？`),
    text: en(
      (lastFour: string) =>
        `Clients that use the secret ending in ${lastFour} are rejected immediately. This cannot be undone.`,
    ).zh((lastFour) => `使用此密钥（以 ${lastFour} 结尾）的客户端会立即被拒绝。此操作无法撤销。`),
    kept: en('Its requests and costs stay in your usage.').zh('其请求和费用仍保留在用量中。'),
    submit: en('Delete key').zh('删除密钥'),
    done: en((name: string) => `Deleted ${name}.`).zh((name) => `已删除 ${name}。`),
  },
})

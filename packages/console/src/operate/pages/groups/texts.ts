import { en, texts } from '../../../i18n/say.ts'

export const groups = texts({
  title: en('Groups').zh('分组'),
  text: en('Each key belongs to a group, which decides what it can call and at which price.').zh(
    '每个密钥属于一个分组，分组决定可调用的模型和售价。',
  ),
  create: en('Add a group').zh('添加分组'),
  edit: en('Edit').zh('编辑'),
  columns: {
    group: en('Group').zh('分组'),
    multiplier: en('Multiplier').zh('倍率'),
    models: en('Models').zh('模型'),
    own: en('Own prices').zh('自定售价'),
    keys: en('Keys').zh('密钥'),
    choice: en('Available to').zh('可选用者'),
    state: en('State').zh('状态'),
  },
  allModels: en((count: string) => `All (${count})`).zh((count) => `全部（${count}）`),
  choices: {
    everyone: en('Every account holder').zh('所有账户持有人'),
    named: en((count: string) => (count === '1' ? '1 named account' : `${count} named accounts`)).zh(
      (count) => `${count} 个指定账户`,
    ),
    operators: en('Operators only').zh('仅运营人员'),
  },
  invalid: en('Invalid').zh('无效'),
  shadowed: en('Overridden').zh('被覆盖'),
  matrix: {
    title: en('What each group pays').zh('各分组支付的价格'),
    text: en(
      'In USD, by the unit below the model; of tokens as input / output. A dash means that the group does not offer the model.',
    ).zh('以 USD 计，单位见模型下方；Token 价格为输入 / 输出。短横线表示该分组不提供此模型。'),
    search: en('Search models').zh('搜索模型'),
    model: en('Model').zh('模型'),
    head: en((group: string, multiplier: string) => (multiplier === '1' ? group : `${group} × ${multiplier}`)).zh(
      (group, multiplier) => (multiplier === '1' ? group : `${group} × ${multiplier}`),
    ),
    own: en('own price').zh('自定售价'),
    belowCost: en('Below cost').zh('低于成本'),
    empty: en('No model matches.').zh('没有符合条件的模型。'),
    none: en('No models yet.').zh('还没有模型。'),
  },
  empty: {
    title: en('No groups yet').zh('还没有分组'),
    text: en('Without groups every key is in `default`, which has all models at multiplier 1.').zh(
      '没有分组时，所有密钥都在 `default` 中，以倍率 1 使用全部模型。',
    ),
  },
  gone: en('This group no longer exists.').zh('该分组已不存在。'),
  acts: {
    review: en('Review').zh('预览更改'),
    undo: en((group: string) => `Undo the change of the group ${group}?`).zh((group) => `撤销对分组 ${group} 的修改？`),
    restore: en('Restore').zh('恢复'),
    restored: en((group: string) => `The group ${group} was restored.`).zh((group) => `分组 ${group} 已恢复原样。`),
  },
  form: {
    createTitle: en('Add a group').zh('添加分组'),
    editTitle: en((group: string) => `Group ${group}`).zh((group) => `分组 ${group}`),
    id: en('Group ID').zh('分组 ID'),
    multiplier: en('Multiplier').zh('倍率'),
    multiplierHint: en('Applied to the price of each model: 0.8 is 20 % off. Own prices are not multiplied.').zh(
      '与各模型的售价相乘，0.8 即八折。自定售价不受倍率影响。',
    ),
    allModels: en('All models, including new ones').zh('全部模型（含以后新增的）'),
    own: en('Own prices').zh('自定售价'),
    ownText: en('Replace the price of the model.').zh('代替模型的售价。'),
    addOwn: en('Add own price for a model').zh('为模型自定售价'),
    removeOwn: en((model: string) => `Remove the own price of ${model}`).zh((model) => `移除 ${model} 的自定售价`),
    console: en('Every account holder can choose it for their keys').zh('所有账户持有人都可以为密钥选用'),
    accounts: en('Accounts that can choose it').zh('可以选用的账户'),
    accountsHint: en('Email addresses, one per line.').zh('邮箱，每行一个。'),
    pricesOnly: en('Your role can change prices and the multiplier. The rest needs the role admin.').zh(
      '您的角色可以修改售价和倍率。其余内容需要管理员角色。',
    ),
    history: en('History').zh('历史'),
  },
})

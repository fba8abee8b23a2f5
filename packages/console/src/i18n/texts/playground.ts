import { typeWords } from '../model-types.ts'
import { en, type Said, same, texts } from '../say.ts'

const UNITS = { en: typeWords('en', 'receipt'), zh: typeWords('zh', 'receipt') }

const nameOf = (unit: string): string =>
  (UNITS.en[unit.replace(/_\d+$/, '')] ?? unit.replaceAll('_', ' ')).toLowerCase()

const PERIODS: Readonly<Record<string, string>> = { day: '今日', week: '本周', month: '本月' }

export const playground = texts({
  title: en('Playground').zh('体验中心'),
  text: en('Try models in the browser. Requests are charged like API requests.').zh(
    '在浏览器中试用模型。费用与通过 API 调用相同。',
  ),
  tabs: {
    text: en('Text').zh('文本'),
    completion: en('Completions').zh('补全'),
    image: en('Image').zh('图片'),
    video: en('Video').zh('视频'),
    embedding: en('Embeddings').zh('向量嵌入'),
    speech: en('Speech').zh('语音合成'),
    transcription: en('Transcription').zh('语音转写'),
  },
  key: {
    label: en('Uses the built-in key').zh('使用内置密钥'),
    noCap: en((spent: string) => `${spent} USD spent, no cap`).zh((spent) => `已消费 ${spent} USD，无上限`),
    spent: en(
      (spent: string, cap: string, period: string | null) =>
        `${spent} of ${cap} USD spent${period === null ? '' : ` this ${period}`}`,
    ).zh((spent, cap, period) => `${period === null ? '' : (PERIODS[period] ?? '')}已消费 ${spent} / ${cap} USD`),
    renews: en('resets on').zh('重置于'),
    change: en('Change the cap in Keys').zh('在“密钥”中更改上限'),
  },
  model: en('Model').zh('模型'),
  noModel: en('The built-in key has no model of this type.').zh('内置密钥没有此类可用模型。'),
  otherGroup: en(
    (model: string, group: string) => `The group ${group} of the built-in key does not offer ${model}.`,
  ).zh((model, group) => `内置密钥的分组 ${group} 不提供 ${model}。`),
  changeGroup: en((group: string) => `Use the group ${group}`).zh((group) => `改用分组 ${group}`),
  parameters: en('Parameters').zh('参数'),
  byModel: en('Default').zh('默认'),
  settings: {
    system: en('System prompt').zh('系统提示词'),
    temperature: en('Temperature').zh('温度'),
    topP: same('Top P'),
    maxTokens: en('Output limit (tokens)').zh('输出上限（Token）'),
    effort: en('Reasoning effort').zh('推理强度'),
    tools: en('Tools').zh('工具'),
  },
  systemExample: en('You are a helpful assistant.').zh('你是一个乐于助人的助手。'),
  toolsHint: en('A JSON array of tool definitions. You enter the results yourself.').zh(
    'JSON 数组形式的工具定义，结果由您自己填写。',
  ),
  efforts: {
    minimal: en('Minimal').zh('极低'),
    low: en('Low').zh('低'),
    medium: en('Medium').zh('中'),
    high: en('High').zh('高'),
  } as Record<string, Said<string>>,
  wrong: {
    temperature: en('Enter a number from 0 to 2.').zh('请输入 0 到 2 之间的数字。'),
    topP: en('Enter a number from 0 to 1.').zh('请输入 0 到 1 之间的数字。'),
    maxTokens: en('Enter a whole number of at least 1.').zh('请输入不小于 1 的整数。'),
    tools: en('This is not a JSON array.').zh('这不是 JSON 数组。'),
  },
  message: en('Message').zh('消息'),
  messageHint: en('Write a message. Enter to send, Shift+Enter for a new line.').zh(
    '输入消息。按 Enter 发送，按 Shift+Enter 换行。',
  ),
  send: en('Send').zh('发送'),
  stop: en('Stop').zh('停止'),
  stopped: en('Stopped').zh('已停止'),
  regenerate: en('Regenerate').zh('重新生成'),
  again: en('Repeat').zh('再次生成'),
  price: en('Price').zh('价格'),
  tryOther: en((model: string) => `Try ${model}`).zh((model) => `改用 ${model}`),
  notCharged: en('Not charged').zh('未计费'),
  waiting: en('Waiting for the model').zh('正在等待模型'),
  you: en('You').zh('您'),
  answer: en('answer').zh('回答'),
  reasoning: en('Reasoning').zh('推理过程'),
  toolCall: en('Tool call').zh('工具调用'),
  arguments: en('Arguments').zh('参数'),
  result: en('Result').zh('结果'),
  sendResults: en('Send results').zh('发送结果'),
  table: en('Table').zh('表格'),
  ended: {
    running: same(''),
    done: en('The answer is complete.').zh('回答已完成。'),
    stopped: en('The answer was stopped.').zh('回答已停止。'),
    failed: en('The request failed.').zh('请求失败。'),
  },
  history: en('History').zh('历史记录'),
  historyNote: en('History stays in this browser.').zh('历史记录只保存在此浏览器中。'),
  newConversation: en('New conversation').zh('新对话'),
  clearHistory: en('Clear history').zh('清空历史记录'),
  clearTitle: en('Clear the history?').zh('清空历史记录？'),
  clearText: en('All conversations in this browser will be lost. Receipts stay in Usage.').zh(
    '此浏览器中的所有对话都将丢失。收据仍可在“用量”中查看。',
  ),
  removeEntry: en((name: string) => `Remove ${name}`).zh((name) => `移除 ${name}`),
  emptyText: en('Ask the model something').zh('向模型提问'),
  emptyTextNote: en('Each answer shows its tokens, cost and latency, and the request as code.').zh(
    '每个回答都会显示 Token 数、费用、延迟以及对应的代码。',
  ),
  emptyImage: en('Describe an image to generate').zh('描述要生成的图片'),
  emptyVideo: en('Describe a video to generate').zh('描述要生成的视频'),
  cost: en('Cost').zh('费用'),
  formula: en('How the cost was calculated').zh('费用计算方式'),
  first: en('First token').zh('首 Token 延迟'),
  firstImage: en('First image').zh('首张图片'),
  total: en('Total').zh('总耗时'),
  code: en('Code').zh('代码'),
  receipt: en('Receipt').zh('收据'),
  language: en('Language').zh('语言'),
  codeNote: en('Replace the placeholder with one of your keys. Image data is shortened.').zh(
    '请将占位符替换为您的密钥。图片数据已省略。',
  ),
  units: {
    input: en((count: string) => `${count} input tokens`).zh((count) => `输入 ${count} Token`),
    output: en((count: string) => `${count} output tokens`).zh((count) => `输出 ${count} Token`),
    images: en((count: string) => (count === '1' ? '1 image' : `${count} images`)).zh((count) => `${count} 张图片`),
    seconds: en((count: string) => (count === '1' ? '1 second' : `${count} seconds`)).zh((count) => `${count} 秒`),
    characters: en((count: string) => (count === '1' ? '1 character' : `${count} characters`)).zh(
      (count) => `${count} 个字符`,
    ),
    audio_seconds: en((count: string) => (count === '1' ? '1 second of audio' : `${count} seconds of audio`)).zh(
      (count) => `音频 ${count} 秒`,
    ),
    audio_input: en((count: string) => `${count} audio input tokens`).zh((count) => `音频输入 ${count} Token`),
    audio_output: en((count: string) => `${count} audio output tokens`).zh((count) => `音频输出 ${count} Token`),
  } as Record<string, Said<(count: string) => string>>,
  /** By the names on receipts; those of a second price end in a number. */
  unit: en((name: string) => (count: string) => `${count} ${nameOf(name)}`).zh(
    (name) => (count) => `${UNITS.zh[name.replace(/_\d+$/, '')] ?? name} ${count}`,
  ),
  mend: {
    keys: en('Open Keys').zh('打开“密钥”'),
    wallet: en('Open Wallet').zh('打开“钱包”'),
  },
  lacks: {
    keys: en('The cap of the built-in key is reached. Raise it in Keys, or wait until it resets.').zh(
      '内置密钥已达到上限。请在“密钥”中提高上限，或等待重置。',
    ),
    wallet: en('Your balance is too low for this request.').zh('余额不足以完成此请求。'),
  },
  /** `seconds`: of a video; empty: not chosen. */
  lacksUsd: en((place: 'keys' | 'wallet', needed: string, left: string, seconds?: string) => {
    const rest = place === 'keys' ? `${left} USD of the cap is left` : `${left} USD is available`
    if (seconds === undefined)
      return `This request needs at least ${needed} USD, and ${rest}.${place === 'keys' ? ' Raise the cap of the built-in key in Keys, or wait until it resets.' : ''}`
    return `This video could cost up to ${needed} USD, and ${rest}. Choose a ${seconds === '' ? '' : 'shorter '}duration.`
  }).zh((place, needed, left, seconds) => {
    const rest = place === 'keys' ? `额度上限内仅剩 ${left} USD` : `可用余额为 ${left} USD`
    if (seconds === undefined)
      return `此请求至少需要 ${needed} USD，${rest}。${place === 'keys' ? '请在“密钥”中提高内置密钥的上限，或等待其重置。' : ''}`
    return `此视频最多可能花费 ${needed} USD，${rest}。请选择${seconds === '' ? '' : '更短的'}时长。`
  }),
  heldUpTo: en((usd: string) => `Held until the video is done: up to ${usd} USD`).zh(
    (usd) => `视频完成前冻结：最多 ${usd} USD`,
  ),
  errors: en({
    connection_lost: 'The connection closed before the answer was complete.',
  } as Record<string, string>).zh({
    connection_lost: '连接已中断，回答不完整。',
    invalid_request_error: '请求参数有误。',
    bad_request: '请求参数有误。',
    unsupported_parameter: '此模型不支持其中某个参数。',
    context_length_exceeded: '输入超出了模型的上下文长度，请缩短后重试。',
    content_policy_violation: '内容被厂商的安全策略拒绝，请修改提示词。',
    moderation_blocked: '内容被厂商的安全策略拒绝，请修改提示词。',
    previous_response_not_found: '上一个响应不存在或已过期，请开始新对话。',
    invalid_api_key: '内置密钥无效，请联系运营人员。',
    api_key_expired: '内置密钥已过期，请在“密钥”中延期。',
    account_quota_exceeded: '账户的消费上限已用完。请等待重置，或联系运营人员。',
    model_not_allowed: '内置密钥不能使用此模型，请在“密钥”中更改其限制。',
    address_not_allowed: '您的 IP 地址不在内置密钥允许的范围内。',
    invalid_signature: '链接的签名无效或已过期。',
    unknown_url: '网关没有此接口。',
    model_not_found: '此模型不存在，或不在内置密钥的分组中。',
    method_not_allowed: '网关不支持此操作。',
    idempotency_mismatch: '相同的 Idempotency-Key 已用于另一个请求。',
    no_websocket: '网关不支持 WebSocket。',
    client_closed_request: '请求已取消。',
    upstream_error: '上游出错，请重试或换一个模型。',
    upstream_no_image: '上游没有返回图片，请重试或修改提示词。',
    upstream_auth_error: '上游拒绝了网关的密钥，请联系运营人员。',
    upstream_model_not_found: '上游没有此模型，请联系运营人员。',
    upstream_unknown_url: '网关的上游地址配置有误，请联系运营人员。',
    upstream_no_credit: '网关在上游的账户余额不足，请联系运营人员。',
    upstream_timeout: '上游响应超时，请重试或换一个模型。',
    InvalidParameter: '请求参数有误。',
    InputTextSensitiveContentDetected: '内容被厂商的安全策略拒绝，请修改提示词。',
    AuthenticationError: '内置密钥无效或已过期。',
    AccessDenied: '内置密钥不能使用此模型。',
    NotFound: '网关没有此接口。',
    'InvalidEndpointOrModel.NotFound': '此模型不存在，或不在内置密钥的分组中。',
    'NotFound.task_id': '此任务不存在或已过期。',
    RequestTimeout: '请求超时，请重试。',
    'OperationDenied.InvalidState': '任务的当前状态不允许此操作。',
    RateLimitExceeded: '请求过于频繁，请稍后再试。',
    RequestCanceled: '请求已取消。',
    InternalServiceError: '上游或网关出错，请重试或换一个模型。',
    ServerOverloaded: '网关或上游繁忙，请几秒后重试。',
  }),
  picture: en('Image').zh('图片'),
  pictureNumber: en((number: number) => `Image ${number}`).zh((number) => `图片 ${number}`),
  removePicture: en((number: number) => `Remove image ${number}`).zh((number) => `移除图片 ${number}`),
  addPictures: en('Add images').zh('添加图片'),
  notPicture: en((name: string) => `${name} is not a PNG, JPEG, WebP or GIF image.`).zh(
    (name) => `${name} 不是 PNG、JPEG、WebP 或 GIF 图片。`,
  ),
  tooLarge: en((name: string, megabytes: number) => `${name} is larger than ${megabytes} MB.`).zh(
    (name, megabytes) => `${name} 超过 ${megabytes} MB。`,
  ),
  tooMany: en((most: number) => `At most ${most} images can be added.`).zh((most) => `最多可添加 ${most} 张图片。`),
  mode: en('Mode').zh('模式'),
  make: en('Generate').zh('生成'),
  edit: en('Edit').zh('编辑'),
  makeAction: en('Generate image').zh('生成图片'),
  editAction: en('Edit image').zh('编辑图片'),
  prompt: en('Prompt').zh('提示词'),
  imageExample: en('A lighthouse at night').zh('夜晚的灯塔'),
  videoExample: en('A ship passes a lighthouse at night').zh('夜晚，一艘船驶过灯塔'),
  size: en('Size').zh('尺寸'),
  quality: en('Quality').zh('质量'),
  qualities: {
    low: en('Low').zh('低'),
    medium: en('Medium').zh('中'),
    high: en('High').zh('高'),
    auto: en('Automatic').zh('自动'),
  } as Record<string, Said<string>>,
  format: en('Format').zh('格式'),
  partials: en('Partial images').zh('过程图（渐进预览）'),
  partialsHint: en('Shown while the image is being generated.').zh('在图片生成过程中显示。'),
  partialImage: en('Partial image').zh('过程图'),
  count: en('Images').zh('图片数量'),
  addMask: en('Add a mask').zh('添加蒙版'),
  mask: en('Mask').zh('蒙版'),
  maskHint: en('A mask is a PNG of the same size: transparent areas are edited.').zh(
    '蒙版是尺寸相同的 PNG，透明区域会被编辑。',
  ),
  foreignImage: en('The image is on another site and is not shown.').zh('图片位于其他网站，不予显示。'),
  download: en('Download').zh('下载'),
  editThis: en('Edit').zh('编辑'),
  seconds: en('Seconds').zh('秒数'),
  resolution: en('Resolution').zh('分辨率'),
  ratio: en('Aspect ratio').zh('宽高比'),
  firstFrame: en('Add a first frame').zh('添加首帧图片'),
  makeVideo: en('Generate video').zh('生成视频'),
  cancel: en('Cancel').zh('取消'),
  cancelled: en('Cancelled').zh('已取消'),
  statuses: {
    submitting: en('Submitting').zh('正在提交'),
    queued: en('Queued').zh('排队中'),
    running: en('Generating').zh('生成中'),
  } as Record<string, Said<string>>,
  videoGone: en('The video is no longer stored.').zh('视频已过保存期。'),
  compareAction: en('Compare').zh('比较'),
  emptyEmbedding: en('Compare a few texts by their meaning').zh('比较几段文本的语义'),
  textsToCompare: en('Texts').zh('文本'),
  textsHint: en((most: number) => `One per line, 2 to ${most} lines.`).zh((most) => `每行一段，2 到 ${most} 段。`),
  textsExample: en('A cat sleeps on the sofa\nThe kitten naps on a couch\nInterest rates rose again').zh(
    '一只猫睡在沙发上\n小猫在长椅上打盹\n利率再次上调',
  ),
  dimensions: en('Dimensions').zh('维度'),
  similarity: en('Similarity of the texts').zh('文本相似度'),
  similarityNote: en(
    (dimensions: string) =>
      `Cosine similarity of vectors with ${dimensions} dimensions: 1 is the same direction, 0 is unrelated.`,
  ).zh((dimensions) => `${dimensions} 维向量的余弦相似度：1 表示方向相同，0 表示无关。`),
  completeAction: en('Complete').zh('补全'),
  emptyCompletion: en('Write the beginning of a text or of code').zh('输入文本或代码的开头'),
  textBefore: en('Text before').zh('前文'),
  textAfter: en('Text after').zh('后文'),
  textAfterHint: en('The model fills in what is between. Chat models without this feature reject it.').zh(
    '由模型补全中间的内容。不支持此功能的对话模型会拒绝请求。',
  ),
  speakAction: en('Generate speech').zh('生成语音'),
  emptySpeech: en('Write a text to turn into speech').zh('输入要朗读的文本'),
  textToSpeak: en('Text to speak').zh('要朗读的文本'),
  speechExample: en('The tide comes in twice a day.').zh('潮水每天涨落两次。'),
  voice: en('Voice').zh('音色'),
  voiceHint: en('The name of one of the voices of this model.').zh('模型的音色名称。'),
  instructions: en('Instructions').zh('朗读要求'),
  instructionsHint: en('How to speak. Not every model follows them.').zh('说明朗读的方式，并非所有模型都支持。'),
  transcribeAction: en('Transcribe').zh('转写'),
  emptyTranscription: en('Choose or record audio to transcribe').zh('选择或录制一段音频'),
  chooseAudio: en('Choose a file').zh('选择文件'),
  record: en('Record').zh('录音'),
  stopRecording: en('Stop recording').zh('停止录音'),
  recording: en('Recording').zh('正在录音'),
  noAudio: en('No audio chosen.').zh('尚未选择音频。'),
  noMicrophone: en(
    'The microphone cannot be used. Allow it in the browser, and open the console over HTTPS or on this computer.',
  ).zh('无法使用麦克风。请在浏览器中允许使用，并通过 HTTPS 或在本机打开控制台。'),
  spokenLanguage: en('Spoken language').zh('音频语言'),
  spokenLanguageHint: en('A code such as en or zh. If empty, the model detects the language.').zh(
    '语言代码，例如 en 或 zh。留空则由模型识别。',
  ),
})

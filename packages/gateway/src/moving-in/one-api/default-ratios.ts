// What the program charges for names that the options do not list: figures as of version 0.6.11. A line has a ratio and the names that have it;
// a number in parentheses is the type of a channel.

/** 1: 2 USD per million tokens at 500,000 units for a USD. */
export const MODEL_RATIOS = `
4750 meta/meta-llama-3.1-405b-instruct
325 meta/llama-2-70b meta/llama-2-70b-chat meta/meta-llama-3-70b meta/meta-llama-3-70b-instruct
150 mistralai/mixtral-8x7b-instruct-v0.1
60 openai/gpt-4-32k openai/gpt-4-32k-0314
50 ibm-granite/granite-20b-code-instruct-8k meta/llama-2-13b meta/llama-2-13b-chat
40 ideogram-ai/ideogram-v2 recraft-ai/recraft-v3-svg
37.5 anthropic/claude-3-opus anthropic/claude-3-opus:beta
35.5 cogviewx
32.5 stability-ai/stable-diffusion-3.5-large
30 gpt-4-32k gpt-4-32k-0314 gpt-4-32k-0613 black-forest-labs/flux-1.1-pro-ultra openai/gpt-4 openai/gpt-4-0314
30 openai/o1 openai/o1-preview openai/o1-preview-2024-09-12
27.5 black-forest-labs/flux-pro
25 black-forest-labs/flux-canny-pro black-forest-labs/flux-depth-pro black-forest-labs/flux-fill-pro
25 ideogram-ai/ideogram-v2-turbo ibm-granite/granite-3.0-8b-instruct ibm-granite/granite-8b-code-instruct-128k
25 meta/llama-2-7b meta/llama-2-7b-chat meta/meta-llama-3-8b meta/meta-llama-3-8b-instruct
25 mistralai/mistral-7b-instruct-v0.2 mistralai/mistral-7b-v0.1
20 dall-e-3 black-forest-labs/flux-1.1-pro black-forest-labs/flux-fill-dev recraft-ai/recraft-v3
20 stability-ai/stable-diffusion-3.5-large-turbo
17.5 stability-ai/stable-diffusion-3 stability-ai/stable-diffusion-3.5-medium
16 black-forest-labs/flux-dev-lora
15 gpt-4 gpt-4-0314 gpt-4-0613 whisper-1 tts-1-hd tts-1-hd-1106 ibm-granite/granite-3.0-2b-instruct
15 openai/gpt-4-1106-preview openai/gpt-4-turbo openai/gpt-4-turbo-preview
12.5 deepl-zh deepl-en deepl-ja black-forest-labs/flux-canny-dev black-forest-labs/flux-depth-dev
12.5 black-forest-labs/flux-dev black-forest-labs/flux-redux-dev
12 anthropic/claude-2 anthropic/claude-2.0 anthropic/claude-2.0:beta anthropic/claude-2.1 anthropic/claude-2.1:beta
12 anthropic/claude-2:beta
10 text-davinci-002 text-davinci-003 text-davinci-edit-001 code-davinci-edit-001 davinci curie babbage ada
10 text-search-ada-doc-001 dall-e-2 black-forest-labs/flux-schnell-lora
9 openai/gpt-4o:extended
8.52 ERNIE-4.0-8K
8 ali-stable-diffusion-xl ali-stable-diffusion-v1.5 wanx-v1
7.5 o1 o1-2024-12-17 o1-preview o1-preview-2024-09-12 tts-1 tts-1-1106 claude-3-opus-20240229
7.5 anthropic/claude-3-sonnet anthropic/claude-3-sonnet:beta anthropic/claude-3.5-sonnet
7.5 anthropic/claude-3.5-sonnet-20240620 anthropic/claude-3.5-sonnet-20240620:beta anthropic/claude-3.5-sonnet:beta
7.5 openai/chatgpt-4o-latest openai/gpt-4o-2024-05-13 x-ai/grok-beta x-ai/grok-vision-beta
7.125 cohere/command-r-plus cohere/command-r-plus-04-2024
7.1 glm-4-0520 glm-4 cogview-3 abab6-chat
6 aion-labs/aion-1.0
5.68 hunyuan-turbo-vision
5 gpt-4-1106-preview gpt-4-0125-preview gpt-4-turbo-preview gpt-4-turbo gpt-4-turbo-2024-04-09 gpt-4-vision-preview
5 allenai/llama-3.1-tulu-3-405b inflection/inflection-3-pi inflection/inflection-3-productivity openai/gpt-4o
5 openai/gpt-4o-2024-08-06 openai/gpt-4o-2024-11-20 x-ai/grok-2-1212 x-ai/grok-2-vision-1212
4.75 cohere/command-r-plus-08-2024
4.6875 alpindale/goliath-120b
4.26 cogview-3-plus moonshot-v1-128k
4.05 mistralai/mistral-medium
4 claude-2.0 claude-2.1 mistral-large-latest ai21/jamba-1-5-large
3.55 glm-4-plus glm-4v
3.2 qwen/qwen-max
3 eva-unit-01/eva-llama-3.33-70b eva-unit-01/eva-qwen-2.5-72b mistralai/mistral-large mistralai/mistral-large-2407
3 mistralai/mistral-large-2411 mistralai/pixtral-large-2411
2.5 gpt-4o chatgpt-4o-latest gpt-4o-2024-05-13 grok-beta google/gemini-pro-1.5
2.5 perplexity/llama-3.1-sonar-huge-128k-online perplexity/sonar-reasoning
2.25 neversleep/llama-3-lumimaid-70b neversleep/llama-3.1-lumimaid-70b raifle/sorcererlm-8x22b
2.2 openai/o1-mini openai/o1-mini-2024-09-12 openai/o3-mini openai/o3-mini-high
2.13 qwen2.5-32b-instruct abab6.5-chat
2 anthropic/claude-3.5-haiku anthropic/claude-3.5-haiku-20241022 anthropic/claude-3.5-haiku-20241022:beta
2 anthropic/claude-3.5-haiku:beta openai/gpt-3.5-turbo-16k
1.875 xwin-lm/xwin-lm-70b
1.704 ERNIE-3.5-8K-0205 ERNIE-Bot-8K moonshot-v1-32k
1.7 eva-unit-01/eva-qwen-2.5-32b
1.6 amazon/nova-pro-v1
1.5 gpt-3.5-turbo-16k gpt-3.5-turbo-16k-0613 o1-mini o1-mini-2024-09-12 o3-mini o3-mini-2025-01-31
1.5 claude-3-sonnet-20240229 claude-3-5-sonnet-20240620 claude-3-5-sonnet-20241022 claude-3-5-sonnet-latest
1.5 command-r-plus black-forest-labs/flux-redux-schnell black-forest-labs/flux-schnell 01-ai/yi-large
1.5 anthracite-org/magnum-v2-72b sao10k/l3.1-70b-hanami-x1
1.4286 qwen-audio-turbo
1.42 qwen-72b-chat Baichuan2-53B
1.35 mistral-medium-latest
1.325 llama3-70b-8192(33)
1.2858 SparkDesk SparkDesk-v1.1 SparkDesk-v2.1 SparkDesk-v3.1 SparkDesk-v3.1-128K SparkDesk-v3.5 SparkDesk-v3.5-32K
1.2858 SparkDesk-v4.0
1.278 hunyuan-vision
1.25 gpt-4o-2024-08-06 gpt-4o-2024-11-20
1.2 aion-labs/aion-1.0-mini deepseek/deepseek-r1
1.136 qwen2.5-vl-72b-instruct qwen2-vl-7b-instruct Baichuan2-Turbo-192k
1.125 alpindale/magnum-72b anthracite-org/magnum-v4-72b mancer/weaver neversleep/noromaid-20b
1.065 emohaa qwen-mt-plus hunyuan-turbo abab5.5-chat
1 davinci-002 text-curie-001 aqa mistral-small-latest deepseek/deepseek-chat-v2.5 google/palm-2-chat-bison
1 google/palm-2-chat-bison-32k google/palm-2-codechat-bison google/palm-2-codechat-bison-32k meta-llama/llama-3.1-405b
1 openai/gpt-3.5-turbo-0613 openai/gpt-3.5-turbo-1106 openai/gpt-3.5-turbo-instruct
0.95 cohere/command
0.8572 360GPT_S2_V9
0.852 ERNIE-3.5-8K ERNIE-3.5-8K-1222 ERNIE-3.5-4K-0205 qvq-72b-preview moonshot-v1-8k yi-34b-chat-200k
0.8 meta-llama/llama-3.2-90b-vision-instruct
0.75 gpt-3.5-turbo-0301 gpt-3.5-turbo-0613 gpt-3.5-turbo-instruct google/gemini-pro google/gemini-pro-vision
0.75 openai/gpt-3.5-turbo openai/gpt-3.5-turbo-0125
0.7125 cohere/command-r cohere/command-r-03-2024
0.71 glm-zero-preview glm-4-airx abab6.5s-chat
0.625 gemini-1.5-pro gemini-1.5-pro-001 gemini-1.5-pro-experimental gemini-2.0-pro-exp-02-05 anthropic/claude-3-haiku
0.625 anthropic/claude-3-haiku:beta
0.6 aetherwiing/mn-starcannon-12b databricks/dbrx-instruct infermatic/mn-inferor-12b nothingiisreal/mn-celeste-12b
0.6 pygmalionai/mythalion-13b qwen/qwen-plus sao10k/fimbulvetr-11b-v2 undi95/remm-slerp-l2-13b
0.568 ERNIE-Lite-8K-0922 qwen-14b-chat Baichuan2-Turbo
0.5625 neversleep/llama-3-lumimaid-8b neversleep/llama-3-lumimaid-8b:extended neversleep/llama-3.1-lumimaid-8b
0.55 minimax/minimax-01
0.5 gpt-3.5-turbo-1106 claude-3-5-haiku-20241022 claude-3-5-haiku-latest command command-nightly command-light
0.5 command-light-nightly microsoft/phi-3-medium-128k-instruct perplexity/llama-3.1-sonar-large-128k-chat
0.5 perplexity/llama-3.1-sonar-large-128k-online perplexity/sonar
0.497 qwen1.5-110b-chat
0.45 cognitivecomputations/dolphin-mixtral-8x22b meta-llama/llama-2-70b-chat mistralai/codestral-2501
0.45 mistralai/mixtral-8x22b-instruct qwen/qwen-2-72b-instruct
0.445 deepseek/deepseek-chat
0.426 qwen2.5-3b-instruct qwen-7b-chat qwen-1.8b-chat qwen-1.8b-longcontext-chat hunyuan-large-longcontext yi-vl-plus
0.4 claude-instant-1.2 meta-llama/llama-3.1-405b-instruct nousresearch/hermes-3-llama-3.1-405b sao10k/l3-euryale-70b
0.4 sao10k/l3.1-euryale-70b sao10k/l3.3-euryale-70b sophosympatheia/midnight-rose-70b
0.355 qwen-vl-ocr qwen-vl-ocr-latest qwen1.5-72b-chat hunyuan-translation-lite abab5.5s-chat
0.35 open-mixtral-8x7b ai21/jamba-instruct
0.345 deepseek/deepseek-r1-distill-llama-70b
0.3 mistralai/mistral-small mistralai/mixtral-8x7b nousresearch/nous-hermes-2-mixtral-8x7b-dpo openai/gpt-4o-mini
0.3 openai/gpt-4o-mini-2024-07-18
0.285 cohere/command-r-08-2024
0.284 ERNIE-Speed-8K ERNIE-Speed-128K BLOOMZ-7B glm-4v-plus qwen-math-plus qwen-math-plus-latest qwen2.5-72b-instruct
0.284 qwen2-72b-instruct qwen2.5-math-72b-instruct qwen2-math-72b-instruct deepseek-r1-distill-llama-70b hunyuan-large
0.284 hunyuan-role hunyuan-functioncall hunyuan-code
0.275 deepseek-reasoner
0.25 gpt-3.5-turbo gpt-3.5-turbo-0125 text-babbage-001 command-r cognitivecomputations/dolphin-mixtral-8x7b
0.25 jondurbin/airoboros-l2-70b microsoft/wizardlm-2-8x22b qwen/qvq-72b-preview thedrummer/rocinante-12b
0.25 thedrummer/unslopnemo-12b
0.2485 qwen-coder-plus qwen-coder-plus-latest qwen2-57b-a14b-instruct qwen1.5-32b-chat
0.213 ERNIE-Lite-8K-0308 qwen-vl-max qwen-vl-max-latest
0.2 babbage-002 text-ada-001 ai21/jamba-1-5-mini google/gemini-2.0-flash-001 meta-llama/llama-3-70b-instruct
0.2 qwen/qwen-2-vl-72b-instruct qwen/qwen-2.5-72b-instruct
0.1775 yi-34b-chat-0205
0.1704 qwen-max qwen-max-latest
0.15 llama3-8b-8192(33) google/gemini-flash-1.5 meta-llama/llama-3.1-70b-instruct meta-llama/llama-3.3-70b-instruct
0.15 nousresearch/hermes-3-llama-3.1-70b nvidia/llama-3.1-nemotron-70b-instruct
0.142 Embedding-V1 bge-large-zh bge-large-en tao-8k qwen-math-turbo qwen-math-turbo-latest qwen-coder-turbo
0.142 qwen-coder-turbo-latest qwq-32b-preview qwen1.5-14b-chat qwen2.5-vl-7b-instruct qwen2-vl-2b-instruct qwen-vl-v1
0.142 qwen-vl-chat-v1 qwen2-audio-instruct qwen-audio-chat qwen2.5-coder-32b-instruct qwen2.5-coder-14b-instruct
0.142 deepseek-r1 deepseek-r1-distill-qwen-32b
0.135 google/gemma-2-27b-it
0.125 claude-3-haiku-20240307 gemini-pro open-mistral-7b mistralai/codestral-mamba mistralai/mistral-tiny
0.12 amazon/nova-lite-v1 mistralai/mixtral-8x7b-instruct
0.11 meta-llama/llama-2-13b-chat
0.1065 qwen-vl-plus qwen-vl-plus-latest
0.1 text-moderation-stable text-moderation-latest aion-labs/aion-rp-llama-3.1-8b meta-llama/llama-guard-2-8b
0.1 mistralai/mistral-7b-instruct-v0.1 perplexity/llama-3.1-sonar-small-128k-chat
0.1 perplexity/llama-3.1-sonar-small-128k-online qwen/qwen-turbo
0.09 deepseek/deepseek-r1-distill-qwen-1.5b deepseek/deepseek-r1-distill-qwen-32b qwen/qwq-32b-preview
0.0852 qwen2.5-vl-3b-instruct
0.085 nousresearch/nous-hermes-llama2-13b teknium/openhermes-2.5-mistral-7b
0.08 qwen/qwen-2.5-coder-32b-instruct
0.075 gpt-4o-mini gpt-4o-mini-2024-07-18 gemini-2.0-flash gemini-2.0-flash-001 cohere/command-r7b-12-2024
0.075 deepseek/deepseek-r1-distill-qwen-14b google/gemini-flash-1.5-8b google/gemma-7b-it liquid/lfm-40b
0.0715 embedding-bert-512-v1 embedding_s1_v1 semantic_similarity_s1_v1
0.071 ERNIE-Tiny-8K glm-4-long glm-3-turbo charglm-4 qwen-mt-turbo qwen2.5-14b-instruct qwen2-7b-instruct
0.071 qwen2-1.5b-instruct qwen2-0.5b-instruct qwen1.5-7b-chat qwen1.5-1.8b-chat qwen1.5-0.5b-chat
0.071 qwen2.5-math-7b-instruct qwen2.5-math-1.5b-instruct qwen2-math-7b-instruct qwen2-math-1.5b-instruct
0.071 qwen2.5-coder-7b-instruct qwen2.5-coder-3b-instruct qwen2.5-coder-1.5b-instruct qwen2.5-coder-0.5b-instruct
0.071 deepseek-v3 deepseek-r1-distill-qwen-1.5b deepseek-r1-distill-qwen-14b
0.07 deepseek-chat amazon/nova-micro-v1 microsoft/phi-4 mistralai/mistral-small-24b-instruct-2501
0.065 text-embedding-3-large
0.0625 gemini-1.0-pro
0.0568 qwen-plus qwen-plus-latest hunyuan-standard
0.05 text-embedding-ada-002 mistral-embed microsoft/phi-3-mini-128k-instruct microsoft/phi-3.5-mini-128k-instruct
0.05 mistralai/ministral-8b mistralai/pixtral-12b qwen/qwen-2-vl-7b-instruct
0.0497 text-embedding-v1 text-embedding-v3 text-embedding-v2 text-embedding-async-v2 text-embedding-async-v1
0.0497 hunyuan-embedding
0.04 mistralai/mistral-nemo
0.0375 gemini-1.5-flash gemini-1.5-flash-001 gemini-2.0-flash-exp gemini-2.0-flash-lite-preview-02-05
0.0375 gemini-2.0-flash-thinking-exp-01-21
0.0355 glm-4-air embedding-2 embedding-3 qwen-max-longcontext qwen2.5-7b-instruct deepseek-r1-distill-qwen-7b
0.0355 deepseek-r1-distill-llama-8b hunyuan-standard-256K
0.035 microsoft/wizardlm-2-7b undi95/toppy-m-7b
0.0325 gryphe/mythomax-l2-13b
0.03 google/gemma-2-9b-it meta-llama/llama-3-8b-instruct sao10k/l3-lunaris-8b
0.0275 meta-llama/llama-3.2-11b-vision-instruct mistralai/mistral-7b-instruct mistralai/mistral-7b-instruct-v0.3
0.0275 openchat/openchat-7b
0.027 qwen/qwen-2-7b-instruct
0.025 meta-llama/llama-3.1-8b-instruct qwen/qwen-2.5-7b-instruct
0.0213 qwen-turbo qwen-turbo-latest qwen2.5-1.5b-instruct qwen2.5-0.5b-instruct
0.02 deepseek/deepseek-r1-distill-llama-8b mistralai/ministral-3b nousresearch/hermes-2-pro-llama-3-8b
0.01875 gemini-1.5-flash-8b
0.0125 meta-llama/llama-3.2-3b-instruct
0.01 text-embedding-3-small liquid/lfm-3b
0.0071 glm-4-flashx codegeex-4
0.006745 step-1-256k
0.005 liquid/lfm-7b meta-llama/llama-3.2-1b-instruct
0.00284 step-1-128k
0.002698 step-2-16k
0.001065 step-1-32k step-1v-32k
0.000445 llama3-groq-70b-8192-tool-use-preview
0.000355 step-1-8k step-1v-8k
0.000295 llama-3.1-70b-versatile llama-3.2-90b-text-preview llama3-70b-8192
0.00012 mixtral-8x7b-32768
0.0001 gemma2-9b-it
0.000095 llama3-groq-8b-8192-tool-use-preview
0.000071 step-1-flash
0.000035 gemma-7b-it
0.000025 llama-3.1-8b-instant llama-3.2-11b-text-preview llama-3.2-11b-vision-preview llama-3.2-1b-preview
0.000025 llama-3.2-3b-preview llama-guard-3-8b llama3-8b-8192
0 glm-4-flash glm-4v-flash cogview-3-flash cogviewx-flash deepseek/deepseek-chat:free
0 deepseek/deepseek-r1-distill-llama-70b:free deepseek/deepseek-r1:free google/gemini-2.0-flash-exp:free
0 google/gemini-2.0-flash-lite-preview-02-05:free google/gemini-2.0-flash-thinking-exp-1219:free
0 google/gemini-2.0-flash-thinking-exp:free google/gemini-2.0-pro-exp-02-05:free google/gemini-exp-1206:free
0 google/gemini-flash-1.5-8b-exp google/gemma-2-9b-it:free google/learnlm-1.5-pro-experimental:free
0 gryphe/mythomax-l2-13b:free huggingfaceh4/zephyr-7b-beta:free meta-llama/llama-3-8b-instruct:free
0 meta-llama/llama-3.2-11b-vision-instruct:free meta-llama/llama-3.3-70b-instruct:free
0 microsoft/phi-3-medium-128k-instruct:free microsoft/phi-3-mini-128k-instruct:free mistralai/mistral-7b-instruct:free
0 mistralai/mistral-nemo:free mistralai/mistral-small-24b-instruct-2501:free
0 nvidia/llama-3.1-nemotron-70b-instruct:free openchat/openchat-7b:free qwen/qwen-2-7b-instruct:free
0 qwen/qwen-vl-plus:free qwen/qwen2.5-vl-72b-instruct:free sophosympatheia/rogue-rose-103b-v0.2:free
0 undi95/toppy-m-7b:free`

/** Output, as a multiple of input. */
export const COMPLETION_RATIOS = `
0.0006/0.0003 llama3-8b-8192(33)
0.0035/0.00265 llama3-70b-8192(33)
0 whisper-1
2 deepseek-chat
2.19/0.55 deepseek-reasoner`

/** For all other names that begin with the text (`=`: are it; `$`: end in what follows). The first that fits applies. */
export const OUTPUT_RULES = `
3 =gpt-3.5-turbo
3 gpt-3.5$0125
2 gpt-3.5$1106
4/3 gpt-3.5
3 =gpt-4o-2024-05-13
4 gpt-4o
3 gpt-4-turbo gpt-4$preview
2 gpt-4
4 o1
3 =chatgpt-4o-latest
5 claude-3
3 claude- mistral- gemini-
2 deepseek-
0.8/0.64 =llama2-70b-4096
2 =llama3-8b-8192
0.79/0.59 =llama3-70b-8192
2 =command =command-light =command-nightly =command-light-nightly
3 =command-r =grok-beta
5 =command-r-plus =ibm-granite/granite-20b-code-instruct-8k =ibm-granite/granite-3.0-8b-instruct
8.333333333333334 =ibm-granite/granite-3.0-2b-instruct
5 =ibm-granite/granite-8b-code-instruct-128k =meta/llama-2-13b =meta/llama-2-13b-chat =meta/llama-2-7b
5 =meta/llama-2-7b-chat =meta/meta-llama-3-8b =meta/meta-llama-3-8b-instruct
2.750/0.650 =meta/llama-2-70b =meta/llama-2-70b-chat =meta/meta-llama-3-70b =meta/meta-llama-3-70b-instruct
5 =mistralai/mistral-7b-instruct-v0.2 =mistralai/mistral-7b-v0.1
1.000/0.300 =mistralai/mixtral-8x7b-instruct-v0.1`

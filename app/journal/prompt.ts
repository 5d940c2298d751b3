/** Never change an id: entries refer to it. */
const prompts = [
  ["gratitude", "What are you grateful for today?"],
  ["surprise", "What surprised you today?"],
  ["energy", "What gave you energy, and what took it?"],
  ["conversation", "Which conversation stayed with you, and why?"],
  ["letting-go", "What could you let go of?"],
  ["courage", "When were you braver than usual?"],
  ["rest", "How did you rest?"],
  ["learning", "What did you learn about yourself?"],
  ["kindness", "What kindness did you give or receive?"],
  ["body", "What is your body telling you?"],
  ["worry", "What worries you, and how much of it is yours to change?"],
  ["joy", "When did you last lose track of time?"],
  ["boundary", "Where did you say no, or wish you had?"],
  ["tomorrow", "What would make tomorrow a good day?"],
] as const

const day = 24 * 60 * 60 * 1000

/** Everyone gets the same prompt on the same date, `YYYY-MM-DD` in the member's time zone. */
export function promptOf(date: string) {
  const index = Math.floor(Date.parse(`${date}T00:00:00Z`) / day) % prompts.length
  const [id, text] = prompts.at(index) ?? prompts[0]
  return { id, date, text }
}

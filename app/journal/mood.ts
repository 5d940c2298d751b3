export const moods = ["awful", "low", "neutral", "good", "great"] as const

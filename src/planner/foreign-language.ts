import type { Word } from "./language.ts";
import { isVerb } from "./lexicon.ts";

/** Whether a request is in another language than English, by its most common words and its letters. */
export function isForeign(words: Word[]): boolean {
  const said = words.filter(({ kind }) => kind === "word");
  const foreign = said.filter((word, at) => isForeignWord(at === 0 ? { ...word, text: word.lower } : word));
  const english = said.filter((word) => !foreign.includes(word) && (word.stop || isVerb(word)));
  return foreign.length > english.length || (foreign.length > 1 && foreign.length === english.length);
}

function isForeignWord({ text, lower }: Word): boolean {
  if (/(?!\p{Script=Latin})\p{L}/u.test(text)) return true;
  return /^\p{Ll}*[äöüßàâçèéêëíìîñóòôõúùûœæøåā]/u.test(text) || lower.split("-").some((part) => COMMON.has(part));
}

/** Common words of German, French, Spanish, Italian, Portuguese and Dutch that are none of English. */
const COMMON = new Set(
  [
    "der das ist sind und nicht kein keine mein meine meinen meinem mir mich ich wir ihr zeig zeige zeigen welche welcher welches wer wann gibt für mit von bei bis auf zum zur dem den ein eine einen einem hab habe haben hat heute morgen gestern diese dieser nächste nächsten letzte letzten offen offene offenen neue neuen alle bitte danke hallo erstelle erstell schreib schreibe sende schick schicke suche öffne lies poste sag termine wie viele",
    "le la les des une mon mes moi est sont et je tu nous vous quels quelles quel quelle qui où avec dans sur aujourd'hui demain hier montre montrer envoie envoyer crée créer ouvre ouvrir ouverts ouvertes bonjour merci combien cherche mets",
    "el los las una mis muestra muéstrame son yo cuáles cuál quién quien con para por hoy mañana ayer tengo hay envía crea busca abre abiertos hola gracias todos cuántos",
    "il gli mio mia miei sono che chi per oggi domani ieri mostra mostrami quali invia crea cerca apri ciao grazie",
    "os uma meu minha meus minhas não com hoje amanhã ontem mostre quais envie crie abra olá obrigado",
    "het een mijn zijn niet voor met vandaag laat zien welke stuur maak zoek bedankt",
  ].flatMap((list) => list.split(" ")),
);

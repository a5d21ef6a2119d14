package dev.sluice.policy.logs;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Logging statement of a rule, as its text has it: a target of iptables, or a statement of nft or
 * its JSON.
 *
 * @param prefix text that the device puts before the packet's words
 * @param early whether conditions of the rule stand behind the statement, which logs without them
 */
record LogStatement(String prefix, boolean early) {
    private static final Set<String> TARGETS = Set.of("LOG", "NFLOG", "ULOG");
    private static final Set<String> PREFIXES =
            Set.of("--log-prefix", "--nflog-prefix", "--ulog-prefix");
    private static final Set<String> OPTIONS =
            Set.of("prefix", "group", "snaplen", "queue-threshold", "level", "flags");

    /** Statements of nft that are no conditions, and behind which none comes. */
    private static final Set<String> CONDITIONLESS =
            Set.of(
                    "accept",
                    "drop",
                    "reject",
                    "jump",
                    "goto",
                    "return",
                    "continue",
                    "queue",
                    "comment",
                    "masquerade",
                    "snat",
                    "dnat",
                    "redirect",
                    "#",
                    "}");

    /** Word of a rule's text, without quotes. */
    private record Word(String text, boolean quoted) {
        boolean is(String other) {
            return !quoted && text.equals(other);
        }
    }

    /** Finds the statement in a rule's text; null: the rule logs nothing. */
    static @Nullable LogStatement of(String rule) {
        List<Word> words = words(rule);
        for (int i = 0; i < words.size(); i++) {
            if (words.get(i).is("log")) {
                return ofNft(words, i + 1);
            }
            boolean target = words.get(i).is("-j") || words.get(i).is("--jump");
            if (target && i + 1 < words.size() && TARGETS.contains(words.get(i + 1).text)) {
                return ofIptables(words);
            }
        }
        return null;
    }

    private static LogStatement ofIptables(List<Word> words) {
        for (int i = 0; i + 1 < words.size(); i++) {
            if (PREFIXES.contains(words.get(i).text)) {
                return new LogStatement(words.get(i + 1).text, false);
            }
        }
        return new LogStatement("", false);
    }

    private static LogStatement ofNft(List<Word> words, int from) {
        String prefix = "";
        int at = from;
        while (at + 1 < words.size() && OPTIONS.contains(words.get(at).text)) {
            String value = words.get(at + 1).text;
            if (words.get(at).is("prefix")) {
                prefix = value;
            }
            boolean more = words.get(at).is("flags") && (value.equals("tcp") || value.equals("ip"));
            at += more ? 3 : 2;
            while (more && at < words.size() && words.get(at - 1).text.endsWith(",")) {
                at++;
            }
        }
        while (at < words.size() && words.get(at).is("counter")) {
            at += at + 1 < words.size() && words.get(at + 1).is("packets") ? 5 : 1;
        }
        boolean early = at < words.size() && !CONDITIONLESS.contains(words.get(at).text);
        return new LogStatement(prefix, early);
    }

    /** Words parted by blanks and semicolons; quotes hold one together. */
    private static List<Word> words(String text) {
        List<Word> words = new ArrayList<>();
        StringBuilder word = new StringBuilder();
        boolean inside = false;
        boolean quoted = false;
        for (int i = 0; i <= text.length(); i++) {
            char c = i < text.length() ? text.charAt(i) : ' ';
            if (inside && c == '\\' && i + 1 < text.length()) {
                word.append(text.charAt(++i));
            } else if (c == '"' && i < text.length()) {
                inside = !inside;
                quoted = true;
            } else if (inside || c != ' ' && c != '\t' && c != '\n' && c != ';') {
                word.append(c);
            } else if (quoted || !word.isEmpty()) {
                words.add(new Word(word.toString(), quoted));
                word.setLength(0);
                quoted = false;
            }
        }
        return words;
    }
}

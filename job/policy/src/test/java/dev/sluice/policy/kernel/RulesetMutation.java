package dev.sluice.policy.kernel;

import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Mistake that an importer of nftables could make, as another text than the kernel holds. Its lines
 * stay where they are.
 */
record RulesetMutation(String name, UnaryOperator<String> change) {
    private static final List<String> KEYS =
            Stream.concat(RulesetCoverage.KEYS.stream(), Stream.of("exthdr frag")).toList();

    /** Words behind a key: a set, the name of one, or a value. */
    private static final String VALUES =
            " (?!vmap)(?:!= |! )?(?:\\{[^}]*\\}|@\\S+|\"[^\"]*\"|[^ {}@]+) ";

    static List<RulesetMutation> all() {
        List<RulesetMutation> all = new ArrayList<>();
        for (String key : KEYS) {
            if (!key.startsWith("exthdr")) {
                all.add(of(key + " without its negation", "\\b" + key + " !=? ", key + " "));
            }
            all.add(of(key + " left out", "(?<![.] )\\b" + key + VALUES + "(?!vmap|[.&|<>=])", ""));
        }
        all.add(of("a concatenation without its negation", "(\\. [a-z0-9]+ [a-z]+) != ", "$1 "));
        all.add(of("return taken for accept", "\\breturn\\b", "accept"));
        all.add(of("return passed over", "(?<!: )\\breturn\\b", "continue"));
        all.add(of("goto taken for jump", "\\bgoto\\b", "jump"));
        all.add(of("jump taken for goto", "\\bjump\\b", "goto"));
        all.add(of("continue taken for accept", "\\bcontinue\\b", "accept"));
        all.add(of("reject taken for accept", "\\breject\\b.*", "accept"));
        all.add(of("policies passed over", "policy drop;", "policy accept;"));
        all.add(of("ranges taken for their first value", "\\b(\\d+)-\\d+\\b", "$1"));
        all.add(of("prefixes taken for addresses", "/\\d+\\b", ""));
        all.add(of("wide names of devices taken as they stand", "\\*\"", "0\""));
        all.add(of("priorities turned round", "priority (\\S+) [+]", "priority $1 -"));
        all.add(of("ip taken for inet", "table ip ", "table inet "));
        all.add(of("ip6 taken for inet", "table ip6 ", "table inet "));
        return all;
    }

    private static RulesetMutation of(String name, String from, String to) {
        Pattern pattern = Pattern.compile(from);
        return new RulesetMutation(name, text -> pattern.matcher(text).replaceAll(to));
    }

    @Override
    public String toString() {
        return name;
    }
}

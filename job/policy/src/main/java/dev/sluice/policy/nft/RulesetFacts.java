package dev.sluice.policy.nft;

import java.util.HashSet;
import java.util.Set;

/** Facts about a ruleset that its rules depend on. */
final class RulesetFacts {
    /** Statements and expressions that switch connection tracking on. */
    private static final Set<String> TRACKING =
            Set.of(
                    "ct",
                    "ct count",
                    "ct helper",
                    "ct timeout",
                    "ct expectation",
                    "snat",
                    "dnat",
                    "masquerade",
                    "redirect",
                    "synproxy",
                    "flow");

    private final Set<String> changed = new HashSet<>();
    private final Set<String> tracking = new HashSet<>();

    RulesetFacts(Ruleset ruleset) {
        for (Table table : ruleset.tables()) {
            for (Chain chain : table.chains().values()) {
                chain.rules().forEach(rule -> look(table, rule));
            }
        }
    }

    /** The fields that rules set in packets. */
    Set<String> changed() {
        return changed;
    }

    /** Returns whether the kernel tracks the connections of a family. */
    boolean tracks(String family) {
        return tracking.contains(family) || tracking.contains("inet");
    }

    private void look(Table table, Node node) {
        if (node.isList()) {
            node.list().forEach(one -> look(table, one));
        }
        NamedSet named =
                node.isText() && node.text().startsWith("@")
                        ? table.sets().get(withoutSign(node.text()))
                        : null;
        if (named != null) {
            named.use();
        }
        node.map()
                .forEach(
                        (key, value) -> {
                            if (TRACKING.contains(key)) {
                                tracking.add(table.family());
                            }
                            Node changes = value.get("key");
                            if (key.equals("mangle") && changes != null) {
                                changed.add(changes.words());
                            }
                            NamedSet set =
                                    value.get("op") == null
                                            ? null
                                            : table.sets().get(withoutSign(value.text("set")));
                            if (set != null) {
                                set.change();
                            }
                            look(table, value);
                        });
    }

    private static String withoutSign(String reference) {
        return reference.startsWith("@") ? reference.substring(1) : reference;
    }
}

package dev.sluice.policy.nft;

import dev.sluice.policy.model.Origin;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

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

    private static final Set<String> OBJECTS_WITH_SIGN = Set.of("set", "map", "flowtable");

    private final Set<String> changed = new HashSet<>();
    private final Set<String> tracking = new HashSet<>();

    private boolean asksMark;

    private final List<Origin> unused = new ArrayList<>();

    /** Sets and objects of a table that nothing names so far, by the text that would name them. */
    private final Map<String, List<Origin>> unnamed = new LinkedHashMap<>();

    RulesetFacts(Ruleset ruleset) {
        for (Table table : ruleset.tables()) {
            table.objects().forEach((words, object) -> declare(table, words, object));
            if (!unnamed.isEmpty()) {
                table.sets().values().forEach(map -> map.elements().forEach(this::name));
            }
            table.sets()
                    .values()
                    .forEach(
                            set ->
                                    declare(
                                            table,
                                            (set.isMap() ? "map " : "set ") + set.name(),
                                            set.declaration()));
            for (Chain chain : table.chains().values()) {
                chain.rules().forEach(rule -> look(table, rule));
                asksMark |= chain.rules().stream().anyMatch(RulesetFacts::asksMark);
            }
            unnamed.values().forEach(unused::addAll);
            unnamed.clear();
        }
    }

    private void declare(Table table, String words, Node object) {
        boolean signed = OBJECTS_WITH_SIGN.contains(words.substring(0, words.indexOf(' ')));
        String name = words.substring(words.lastIndexOf(' ') + 1);
        Origin origin =
                new Origin(object.at().file(), object.at().line(), table.words(), "", words, null);
        unnamed.computeIfAbsent(signed ? "@" + name : name, fresh -> new ArrayList<>()).add(origin);
    }

    private void name(Node node) {
        unnamed.remove(node.text());
        if (node.isList()) {
            node.list().forEach(this::name);
        }
        node.map().values().forEach(this::name);
    }

    /** The sets, maps and objects that no rule names. */
    List<Origin> unused() {
        return unused;
    }

    /** The fields that rules set in packets, but for the mark. */
    Set<String> changed() {
        return changed;
    }

    /** Returns whether a rule asks for the mark. */
    boolean asksMark() {
        return asksMark;
    }

    /** Returns whether the kernel tracks the connections of a family. */
    boolean tracks(String family) {
        return tracking.contains(family) || tracking.contains("inet");
    }

    private void look(Table table, Node node) {
        unnamed.remove(node.text());
        if (node.isList()) {
            node.list().forEach(one -> look(table, one));
        }
        node.map()
                .forEach(
                        (key, value) -> {
                            if (TRACKING.contains(key)) {
                                tracking.add(table.family());
                            }
                            Node changes = value.get("key");
                            if (key.equals("mangle")
                                    && changes != null
                                    && !MarkValues.isMark(changes)) {
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

    private static boolean asksMark(Node node) {
        if (MarkValues.isMark(node)) {
            return true;
        }
        return node.isList()
                ? node.list().stream().anyMatch(RulesetFacts::asksMark)
                : node.map().entrySet().stream()
                        .anyMatch(
                                one ->
                                        one.getKey().equals("mangle")
                                                ? asksForValue(one.getValue().get("value"))
                                                : asksMark(one.getValue()));
    }

    /** Returns whether the value that a statement sets hangs on the mark otherwise than by bits. */
    private static boolean asksForValue(@Nullable Node value) {
        return value != null
                && !MarkValues.isMark(value)
                && (value.key().matches("[&|^]")
                        ? value.inner().list().stream().anyMatch(RulesetFacts::asksForValue)
                        : asksMark(value));
    }

    private static String withoutSign(String reference) {
        return reference.startsWith("@") ? reference.substring(1) : reference;
    }
}

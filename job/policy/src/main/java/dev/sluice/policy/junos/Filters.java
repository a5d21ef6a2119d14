package dev.sluice.policy.junos;

import static dev.sluice.policy.model.Condition.is;

import dev.sluice.policy.RuleSyntaxException;
import dev.sluice.policy.model.Condition;
import dev.sluice.policy.model.Effect;
import dev.sluice.policy.model.PolicyRule;
import dev.sluice.schemas.header.Field;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Firewall filters of the families inet and inet6. */
final class Filters {
    /** Statements of a filter that bear on no packet's fate. */
    private static final Set<String> IDLE =
            Set.of(
                    "interface-specific",
                    "physical-interface-filter",
                    "accounting-profile",
                    "enhanced-mode",
                    "fast-filter-lookup",
                    "instance-shared",
                    "instance-specific",
                    "apply-flags",
                    "apply-groups",
                    "apply-groups-except",
                    "description",
                    "no-list",
                    "scale-optimized");

    private final Config config;
    private final PrefixLists lists;
    private final Map<String, Filter> filters = new LinkedHashMap<>();

    /** Filters by the names of their chains, before they are read. */
    private final Map<String, Statement> statements = new LinkedHashMap<>();

    /**
     * A filter.
     *
     * @param chain name of the chain of its terms
     * @param end denies what no term decides
     */
    record Filter(String name, boolean v6, String chain, List<PolicyRule> rules, PolicyRule end) {
        Condition version() {
            return Filters.version(v6);
        }

        /** Name of the chain of its terms, which discards at its end where no filter follows. */
        String chain(boolean last) {
            return last ? chain + ", end" : chain;
        }
    }

    Filters(Config config, Statement root) {
        this.config = config;
        lists = new PrefixLists(root);
        Statement firewall = root.child("firewall");
        if (firewall == null) {
            return;
        }
        for (Statement filter : firewall.children("filter")) {
            collect(filter, false);
        }
        for (Statement family : firewall.children("family")) {
            boolean inet = family.word.equals("inet");
            for (Statement kind : family.children()) {
                if (kind.word.equals("filter") && (inet || family.word.equals("inet6"))) {
                    kind.children().forEach(filter -> collect(filter, !inet));
                } else if (kind.word.endsWith("filter")) {
                    config.warn(
                            kind.line,
                            "family %s %s: judges frames or services, and is left out"
                                    .formatted(family.word, kind.word));
                }
            }
        }
        statements.forEach(this::add);
    }

    private void collect(Statement filter, boolean v6) {
        if (statements.put(chain(filter.word, v6), filter) != null) {
            config.skipped(
                    filter.refused("is a filter that stands under family inet, too; remove one"));
        }
    }

    static Condition version(boolean v6) {
        return is(Field.IP_VERSION, v6 ? Field.VERSION_6 : Field.VERSION_4);
    }

    /** The filters, in the order of the configuration. */
    List<Filter> all() {
        return List.copyOf(filters.values());
    }

    /** The filter of a name; null: there is none. */
    @Nullable Filter of(String name, boolean v6) {
        return filters.get(chain(name, v6));
    }

    private static String chain(String name, boolean v6) {
        return v6 ? name + " inet6" : name;
    }

    private void add(String chain, Statement filter) {
        boolean v6 = !chain.equals(filter.word);
        List<PolicyRule> rules = new ArrayList<>();
        for (Statement each : filter.children()) {
            if (each.word.equals("term")) {
                each.children().forEach(term -> addTerm(term, chain, v6, rules));
            } else if (!IDLE.contains(each.word)) {
                config.skipped(each.refused("is no statement of a filter that can be read"));
            }
        }
        PolicyRule end =
                config.rule(
                        filter.lastLine(),
                        chain,
                        "end of filter " + filter.word,
                        Condition.ALWAYS,
                        Config.DENY,
                        "discard");
        filters.put(chain, new Filter(filter.word, v6, chain, rules, end));
    }

    private void addTerm(Statement term, String chain, boolean v6, List<PolicyRule> rules) {
        for (Statement part : term.children()) {
            if (!Set.of("from", "then", "filter", "description", "apply-groups")
                    .contains(part.word)) {
                config.skipped(part.refused("is no statement of a term; write from or then"));
            }
        }
        Statement from = term.child("from");
        Statement nested = term.child("filter");
        List<Condition> conditions = new ArrayList<>(List.of(version(v6)));
        if (from != null) {
            conditions.addAll(new TermMatches(config, lists, from, v6).read());
        }
        Condition condition = new Condition.All(conditions);
        String text = "term " + term.text();
        PolicyRule rule = config.rule(term.line, chain, text, condition, Config.PERMIT, "accept");
        try {
            if (nested == null) {
                addActions(term.child("then"), rule, rules);
            } else {
                addNested(nested, rule, v6, rules);
            }
        } catch (JunosException e) {
            rules.addAll(config.unclear(rule, config.skipped(e)));
        }
    }

    /** Adds a term that stands for the terms of another filter. */
    private void addNested(Statement nested, PolicyRule rule, boolean v6, List<PolicyRule> rules)
            throws JunosException {
        Statement name = nested.value();
        if (name == null) {
            throw nested.refused("names no filter, or several; write one a term");
        }
        Statement other = statements.get(chain(name.word, v6));
        if (other == null) {
            rules.addAll(
                    config.unclear(
                            rule,
                            config.unknown(
                                    name.line,
                                    "the filter %s is not in the file".formatted(name.word))));
            return;
        }
        if (other.children("term").stream().anyMatch(term -> term.has("filter"))) {
            throw name.refused(
                    "refers to a filter itself, which Junos does not take; write its terms here");
        }
        rules.add(
                new PolicyRule(
                        rule.origin(),
                        rule.condition(),
                        new Effect.Jump(chain(name.word, v6)),
                        "filter " + name.word));
    }

    private void addActions(@Nullable Statement then, PolicyRule rule, List<PolicyRule> rules)
            throws JunosException {
        Effect effect = Config.PERMIT;
        String action = "accept";
        int decisions = 0;
        for (Statement each : then == null ? List.<Statement>of() : then.children()) {
            Actions.Kind kind = Actions.kind(each);
            if (kind == Actions.Kind.NONE) {
                if (each.word.endsWith("policer")) {
                    config.warn(
                            each.line,
                            each.text() + ": lets pass here, and discards what exceeds its rate");
                }
                continue;
            }
            decisions++;
            action = each.text();
            effect =
                    switch (kind) {
                        case PERMIT -> Config.PERMIT;
                        case DENY -> Config.DENY;
                        default -> new Effect.Continue();
                    };
            if (kind == Actions.Kind.PERMIT && !each.word.equals("accept")) {
                config.warn(
                        each.line,
                        action + ": permits here; where the packet goes is not followed");
            }
        }
        if (then != null && decisions > 1) {
            throw new JunosException(
                    then.line,
                    new RuleSyntaxException(
                            then.column, then.text(), "decides more than once; leave one"));
        }
        rules.add(new PolicyRule(rule.origin(), rule.condition(), effect, action));
    }
}

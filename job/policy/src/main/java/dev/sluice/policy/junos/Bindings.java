package dev.sluice.policy.junos;

import dev.sluice.policy.junos.Filters.Filter;
import dev.sluice.policy.model.Condition;
import dev.sluice.policy.model.Effect;
import dev.sluice.policy.model.PolicyRule;
import dev.sluice.policy.model.Stage;
import dev.sluice.policy.model.Vantage;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Filters that interfaces have: those of a direction make a stage. */
final class Bindings {
    private final Config config;
    private final Filters filters;
    private final Map<Use, List<Condition>> in = new LinkedHashMap<>();
    private final Map<Use, List<Condition>> out = new LinkedHashMap<>();

    /** Filters of one or several interfaces in their order, and where they are first named. */
    private static final class Use {
        private final List<String> names;
        private final boolean v6;
        private final Statement at;

        Use(List<String> names, boolean v6, Statement at) {
            this.names = names;
            this.v6 = v6;
            this.at = at;
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Use use && use.v6 == v6 && use.names.equals(names);
        }

        @Override
        public int hashCode() {
            return names.hashCode();
        }
    }

    Bindings(Config config, Filters filters) {
        this.config = config;
        this.filters = filters;
        for (Statement device : config.root().children("interfaces")) {
            if (device.word.equals("interface-range")) {
                device.children().forEach(this::refuseRange);
                continue;
            }
            for (Statement unit : device.children("unit")) {
                addUnit(device.word + "." + unit.word, unit);
            }
        }
    }

    private void refuseRange(Statement range) {
        for (Statement unit : range.children("unit")) {
            for (Statement family : unit.children("family")) {
                if (family.has("filter")) {
                    config.skipped(
                            range.refused(
                                    "gives filters to a range of interfaces; give them to each one"));
                }
            }
        }
    }

    private void addUnit(String name, Statement unit) {
        Statement any = unit.child("filter");
        if (any != null) {
            config.warn(any.line, name + ": a filter of family any is left out");
        }
        for (Statement family : unit.children("family")) {
            Statement filter = family.child("filter");
            if (filter == null) {
                continue;
            }
            boolean v6 = family.word.equals("inet6");
            if (!v6 && !family.word.equals("inet")) {
                config.warn(
                        filter.line,
                        "%s: a filter of family %s judges frames, and is left out"
                                .formatted(name, family.word));
            } else if (name.startsWith("lo0.")) {
                config.warn(
                        filter.line,
                        "%s: its filter judges packets to the device itself, not those that pass; name it to judge them"
                                .formatted(name));
            } else {
                add(filter, "input", v6, name, true);
                add(filter, "output", v6, name, false);
            }
        }
    }

    private void add(Statement filter, String way, boolean v6, String name, boolean incoming) {
        List<Statement> names = new ArrayList<>();
        for (Statement each : filter.children(way)) {
            if (!each.word.equals("precedence")) {
                names.add(each);
            }
        }
        List<Statement> list = filter.children(way + "-list");
        if (names.size() > 1 || !names.isEmpty() && !list.isEmpty()) {
            config.skipped(
                    names.get(0)
                            .refused(
                                    "is one of several filters of %s for %s; name one, or several by %s-list"
                                            .formatted(way, name, way)));
        }
        List<Statement> all = list.isEmpty() ? names : list;
        if (all.isEmpty()) {
            return;
        }
        Use use = new Use(all.stream().map(one -> one.word).toList(), v6, all.get(0));
        (incoming ? in : out)
                .computeIfAbsent(use, none -> new ArrayList<>())
                .add(new Condition.Interface(incoming, name));
    }

    /** The stage of packets that come in; null: no interface has a filter for them. */
    @Nullable Stage incoming() {
        return stage("in", in);
    }

    /** The stage of packets that go out; null: no interface has a filter for them. */
    @Nullable Stage outgoing() {
        return stage("out", out);
    }

    private @Nullable Stage stage(String name, Map<Use, List<Condition>> uses) {
        if (uses.isEmpty()) {
            return null;
        }
        Map<String, List<PolicyRule>> chains = new LinkedHashMap<>();
        List<PolicyRule> base = new ArrayList<>();
        chains.put(name, base);
        uses.forEach((use, interfaces) -> addUse(name, use, interfaces, base, chains));
        PolicyRule end =
                config.rule(
                        0,
                        name,
                        "the interface has no filter",
                        Condition.ALWAYS,
                        Config.PERMIT,
                        "accept");
        return new Stage(name, name, chains, end, Vantage.PLAIN);
    }

    private void addUse(
            String chain,
            Use use,
            List<Condition> interfaces,
            List<PolicyRule> base,
            Map<String, List<PolicyRule>> chains) {
        Condition here = Condition.all(Filters.version(use.v6), new Condition.Any(interfaces));
        for (int i = 0; i < use.names.size(); i++) {
            String name = use.names.get(i);
            Filter filter = filters.of(name, use.v6);
            boolean last = i == use.names.size() - 1;
            PolicyRule rule =
                    config.rule(
                            use.at.line,
                            chain,
                            "filter " + name,
                            here,
                            new Effect.Jump(filter == null ? "" : filter.chain(last)),
                            "filter " + name);
            if (filter == null) {
                Condition unknown =
                        config.unknown(
                                use.at.line,
                                "the filter %s is not in the file; add firewall".formatted(name));
                base.addAll(config.unclear(rule, unknown));
                continue;
            }
            add(filter, last, chains);
            base.add(rule);
        }
    }

    /** Adds the chain of a filter, and those that it refers to. */
    private void add(Filter filter, boolean last, Map<String, List<PolicyRule>> chains) {
        List<PolicyRule> rules = new ArrayList<>(filter.rules());
        if (last) {
            rules.add(filter.end());
        }
        chains.put(filter.chain(last), rules);
        for (PolicyRule rule : filter.rules()) {
            if (rule.effect() instanceof Effect.Jump jump) {
                filters.all().stream()
                        .filter(other -> other.chain().equals(jump.chain()))
                        .forEach(other -> add(other, false, chains));
            }
        }
    }

    /** The stage of one filter alone. */
    Stage alone(Filter filter) {
        Map<String, List<PolicyRule>> chains = new LinkedHashMap<>();
        add(filter, false, chains);
        return new Stage(
                "filter " + filter.name(), filter.chain(), chains, filter.end(), Vantage.PLAIN);
    }
}

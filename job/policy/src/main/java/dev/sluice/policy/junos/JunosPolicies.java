package dev.sluice.policy.junos;

import dev.sluice.policy.RuleReading;
import dev.sluice.policy.RuleSyntaxException;
import dev.sluice.policy.junos.Filters.Filter;
import dev.sluice.policy.model.Condition;
import dev.sluice.policy.model.Policy;
import dev.sluice.policy.model.Stage;
import dev.sluice.policy.model.ValueSet;
import dev.sluice.schemas.header.Field;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Policies of a configuration: the way through the device, its stages, and each filter. */
final class JunosPolicies {
    private static final Condition IP =
            new Condition.In(
                    Field.IP_VERSION,
                    ValueSet.of(Field.VERSION_4).or(ValueSet.of(Field.VERSION_6)));

    private final Map<String, Policy> policies = new LinkedHashMap<>();

    private JunosPolicies() {}

    /** Reads a text to its end. */
    static Map<String, Policy> read(RuleReading in, boolean skips) throws IOException {
        Statement root = whole(ConfigReader.read(in, in.text()));
        if (in.hasDefects()) {
            return Map.of();
        }
        Config config = new Config(in, skips, root);
        Groups.inherit(config);
        Filters filters = new Filters(config, root);
        Bindings bindings = new Bindings(config, filters);
        JunosPolicies all = new JunosPolicies();
        List<Stage> way = new ArrayList<>();
        Map<String, Stage> zones = new ZonePolicies(config).stages();
        all.addStage(bindings.incoming(), way);
        all.addStage(zones.get("policies"), way);
        all.addStage(bindings.outgoing(), way);
        if (!way.isEmpty()) {
            all.policies.put("", new Policy("the way through the device", IP, way, null));
        }
        for (Filter filter : filters.all()) {
            all.add(
                    filter.name(),
                    filter.v6() ? "inet6" : "inet",
                    new Policy(
                            "filter " + filter.chain(),
                            filter.version(),
                            List.of(bindings.alone(filter)),
                            null));
        }
        zones.forEach(
                (name, stage) -> {
                    if (!way.contains(stage)) {
                        all.add(name, "zones", new Policy(name, IP, List.of(stage), null));
                    }
                });
        if (all.policies.isEmpty()) {
            in.defect(
                    1,
                    new RuleSyntaxException(
                            1,
                            root.children().stream().map(one -> one.word).findFirst().orElse(""),
                            "begins a configuration without a filter or security policy; dump the whole one"));
        }
        return in.hasDefects() ? Map.of() : all.policies;
    }

    /** The whole configuration where a text is that of one part. */
    private static Statement whole(Statement root) {
        String part =
                root.has("filter") || root.has("family")
                        ? "firewall"
                        : root.has("from-zone") ? "policies" : "";
        if (part.isEmpty() || root.has("firewall") || root.has("security")) {
            return root;
        }
        Statement whole = new Statement(root.word, 1, 1);
        Statement parent = part.equals("policies") ? whole.add("security", 1, 1) : whole;
        Statement block = parent.add(part, 1, 1);
        root.children().forEach(block::graft);
        return whole;
    }

    private void addStage(@Nullable Stage stage, List<Stage> way) {
        if (stage != null) {
            way.add(stage);
            policies.put(stage.name(), new Policy(stage.name(), IP, List.of(stage), null));
        }
    }

    /** Adds a policy by its name, or where another has it by its name and kind. */
    private void add(String name, String kind, Policy policy) {
        policies.merge(
                policies.containsKey(name) ? name + "." + kind : name,
                policy,
                (first, second) -> first);
    }
}

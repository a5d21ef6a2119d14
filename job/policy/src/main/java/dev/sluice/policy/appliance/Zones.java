package dev.sluice.policy.appliance;

import static dev.sluice.policy.model.Condition.all;

import dev.sluice.policy.model.Condition;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Zones of a firewall: sets of interfaces by name. A zone also stands for an interface of its name,
 * so that packets can be told by zone, unless another interface has that name.
 */
public final class Zones {
    private final Map<String, Set<String>> interfaces = new LinkedHashMap<>();
    private final Set<String> mentioned = new LinkedHashSet<>();

    /** Adds a zone, or interfaces to one. */
    public void add(String zone, List<String> names) {
        interfaces.computeIfAbsent(zone, of -> new LinkedHashSet<>()).addAll(names);
    }

    /** Notes a zone that rules name. */
    public void mention(String zone) {
        mentioned.add(zone);
    }

    /** Returns whether the file says which interfaces zones have. */
    public boolean areKnown() {
        return interfaces.values().stream().anyMatch(of -> !of.isEmpty());
    }

    /** The packets that come in, or leave, by a zone. */
    public Condition condition(String zone, boolean incoming) {
        List<Condition> any = new ArrayList<>();
        Set<String> names = interfaces.getOrDefault(zone, Set.of());
        if (interfaces.values().stream().noneMatch(of -> of.contains(zone))) {
            any.add(new Condition.Interface(incoming, zone));
        }
        names.forEach(name -> any.add(new Condition.Interface(incoming, name)));
        return FirewallRules.anyOf(any);
    }

    /** The packets that stay within a zone. */
    public Condition within(String zone) {
        return all(condition(zone, true), condition(zone, false));
    }

    /**
     * The packets that stay within some zone; unknown between zones that the file does not tell.
     */
    public Condition withinAny() {
        Set<String> all = new LinkedHashSet<>(interfaces.keySet());
        all.addAll(mentioned);
        List<Condition> any = new ArrayList<>();
        List<Condition> elsewhere = new ArrayList<>();
        for (String zone : all) {
            any.add(within(zone));
            elsewhere.add(Condition.not(condition(zone, true)));
            elsewhere.add(Condition.not(condition(zone, false)));
        }
        if (!areKnown()) {
            elsewhere.add(new Condition.Unknown("whether both interfaces are in one zone"));
            any.add(new Condition.All(elsewhere));
        }
        return new Condition.Any(any);
    }
}

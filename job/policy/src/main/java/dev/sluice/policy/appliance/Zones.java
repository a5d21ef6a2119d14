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
    private static final Condition SAME =
            new Condition.Unknown("whether both interfaces are in one zone");

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

    /** The packets that come in, or leave, by a zone, or by an interface that is none. */
    public Condition condition(String zone, boolean incoming) {
        List<Condition> any = new ArrayList<>();
        Set<String> names = interfaces.getOrDefault(zone, Set.of());
        if (!interfaces.containsKey(zone)
                || interfaces.values().stream().noneMatch(of -> of.contains(zone))) {
            any.add(new Condition.Interface(incoming, zone));
        }
        names.forEach(name -> any.add(new Condition.Interface(incoming, name)));
        return FirewallRules.anyOf(any);
    }

    /** The packets that stay within a zone. */
    public Condition within(String zone) {
        return all(condition(zone, true), condition(zone, false));
    }

    /** The packets that stay within some zone; unknown where the file tells no interfaces. */
    public Condition withinAny() {
        List<Condition> any = new ArrayList<>();
        List<Condition> elsewhere = new ArrayList<>();
        for (String zone : names()) {
            any.add(within(zone));
            elsewhere.add(Condition.not(condition(zone, true)));
            elsewhere.add(Condition.not(condition(zone, false)));
        }
        if (!areKnown()) {
            elsewhere.add(SAME);
            any.add(new Condition.All(elsewhere));
        }
        return new Condition.Any(any);
    }

    /**
     * The packets that leave a zone for another one.
     *
     * @param from the zones that they come in by; empty: all
     */
    public Condition between(List<String> from) {
        List<Condition> any = new ArrayList<>();
        List<Condition> elsewhere = new ArrayList<>();
        List<Condition> to = new ArrayList<>();
        for (String zone : from.isEmpty() ? names() : from) {
            any.add(all(condition(zone, true), Condition.not(condition(zone, false))));
            elsewhere.add(Condition.not(condition(zone, true)));
            to.add(condition(zone, false));
        }
        if (from.isEmpty()) {
            if (!areKnown()) {
                to.add(Condition.not(SAME));
                elsewhere.add(new Condition.Any(to));
            }
            any.add(new Condition.All(elsewhere));
        }
        return new Condition.Any(any);
    }

    private Set<String> names() {
        Set<String> all = new LinkedHashSet<>(interfaces.keySet());
        all.addAll(mentioned);
        return all;
    }
}

package dev.sluice.policy.cisco;

import dev.sluice.policy.RuleReading;
import dev.sluice.policy.model.Condition;
import dev.sluice.policy.model.Effect;
import dev.sluice.policy.model.Origin;
import dev.sluice.policy.model.Policy;
import dev.sluice.policy.model.PolicyRule;
import dev.sluice.policy.model.Stage;
import dev.sluice.policy.model.Vantage;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Policies of a router or switch: the way through it, each side of it, and each list. */
final class RouterPolicies {
    static final Condition IP =
            Condition.any(ListAddresses.version(false), ListAddresses.version(true));

    private static final Vantage ARRIVING = Vantage.PLAIN;

    private static final Vantage LEAVING =
            new Vantage(true, true, true, false, Vantage.States.TRACKED);

    private final RouterText text;
    private final RuleReading in;
    private final Map<AccessList, List<PolicyRule>> entries = new LinkedHashMap<>();
    private final Map<AccessList, List<PolicyRule>> ends = new LinkedHashMap<>();

    RouterPolicies(RouterText text, RuleReading in, boolean skip) {
        this.text = text;
        this.in = in;
        for (AccessList list : text.lists.values()) {
            List<PolicyRule> rules = list.rules(text.objects, in, skip);
            entries.put(list, rules);
            ends.put(list, list.implicit(text.objects.dialect, in, rules));
        }
    }

    /** The policies by the names that users ask for. */
    Map<String, Policy> policies() {
        Map<String, Policy> all = new LinkedHashMap<>();
        List<Stage> way = new ArrayList<>();
        for (boolean incoming : new boolean[] {true, false}) {
            if (text.interfaces.bindings.stream().anyMatch(one -> one.in() == incoming)) {
                way.add(stage(incoming));
            }
        }
        if (!way.isEmpty()) {
            all.put("", new Policy("the way through the device", IP, way, null));
        }
        for (Stage stage : way) {
            all.put(stage.name(), new Policy(stage.name(), IP, List.of(stage), null));
        }
        for (AccessList list : text.lists.values()) {
            if (way.stream().anyMatch(stage -> stage.name().equals(list.name))) {
                in.warn(
                        list.line,
                        "#%s names a side of the device, not the list; give the list another name"
                                .formatted(list.name));
                continue;
            }
            boolean both = text.lists.containsKey(RouterText.key(list.name, !list.v6));
            List<Stage> stages = new ArrayList<>();
            for (boolean v6 : new boolean[] {false, true}) {
                AccessList one = text.lists.get(RouterText.key(list.name, v6));
                if (one != null) {
                    stages.add(alone(one, both));
                }
            }
            Condition judges = both ? IP : ListAddresses.version(list.v6);
            all.put(list.name, new Policy(list.name, judges, stages, null));
        }
        return all;
    }

    private Stage alone(AccessList list, boolean both) {
        List<PolicyRule> rules = new ArrayList<>(entries.getOrDefault(list, List.of()));
        List<PolicyRule> end = ends.getOrDefault(list, List.of());
        rules.addAll(end.subList(0, end.size() - 1));
        return new Stage(
                list.name,
                list.name,
                Map.of(list.name, rules),
                end.get(end.size() - 1),
                ARRIVING,
                both ? ListAddresses.version(list.v6) : Condition.ALWAYS);
    }

    private Stage stage(boolean incoming) {
        String side = incoming ? "in" : "out";
        String base = side + " of interfaces";
        List<PolicyRule> places = new ArrayList<>();
        Map<String, List<PolicyRule>> chains = new LinkedHashMap<>();
        chains.put(base, places);
        for (BoundLists.Binding one : text.interfaces.bindings) {
            if (one.in() != incoming) {
                continue;
            }
            Condition at =
                    Condition.all(
                            ListAddresses.version(one.v6()),
                            new Condition.Interface(incoming, one.at()));
            List<AccessList> lists = new ArrayList<>();
            for (String name : one.lists()) {
                AccessList list = text.lists.get(RouterText.key(name, one.v6()));
                if (list == null) {
                    missing(one, name, base, at, places);
                } else {
                    lists.add(list);
                }
            }
            if (lists.size() == one.lists().size()) {
                String chain = chain(lists, chains);
                places.add(rule(one, base, at, new Effect.Jump(chain), "list " + chain));
            }
        }
        PolicyRule end =
                new PolicyRule(
                        new Origin(in.file(), 0, base, "", "no list stands there", null),
                        Condition.ALWAYS,
                        AccessList.PERMIT,
                        "permit");
        return new Stage(side, base, chains, end, incoming ? ARRIVING : LEAVING);
    }

    /** Adds the chain of lists of which the last one decides; returns its name. */
    private String chain(List<AccessList> lists, Map<String, List<PolicyRule>> chains) {
        AccessList last = lists.get(lists.size() - 1);
        String name = String.join(" and ", lists.stream().map(list -> list.name).toList());
        boolean both = text.lists.containsKey(RouterText.key(last.name, !last.v6));
        String chain = both && last.v6 ? name + " of IPv6" : name;
        List<PolicyRule> rules = new ArrayList<>();
        for (AccessList list : lists) {
            rules.addAll(entries.getOrDefault(list, List.of()));
        }
        rules.addAll(ends.getOrDefault(last, List.of()));
        chains.put(chain, rules);
        return chain;
    }

    /** Adds what becomes of packets where a list stands that the text does not have. */
    private void missing(
            BoundLists.Binding one,
            String list,
            String base,
            Condition at,
            List<PolicyRule> places) {
        boolean known = text.objects.dialect == CiscoDialect.IOS;
        in.warn(
                one.words().line,
                "list %s is not in the file: %s"
                        .formatted(
                                list,
                                known
                                        ? "all packets pass there, as IOS has it"
                                        : "packets depend there; add the list"));
        Condition taken =
                known
                        ? at
                        : Condition.all(
                                at,
                                new Condition.Unknown(
                                        "list " + list + ", which the file does not define"));
        places.add(rule(one, base, taken, AccessList.PERMIT, "permit"));
        if (!known) {
            places.add(rule(one, base, at, AccessList.DENY, "deny"));
        }
    }

    private PolicyRule rule(
            BoundLists.Binding one, String chain, Condition at, Effect effect, String action) {
        String text = one.words().text() + " at " + one.at();
        Origin origin = new Origin(in.file(), one.words().line, chain, "", text, null);
        return new PolicyRule(origin, at, effect, action);
    }
}

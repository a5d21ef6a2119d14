package dev.sluice.policy.cisco;

import dev.sluice.policy.RuleReading;
import dev.sluice.policy.model.Condition;
import dev.sluice.policy.model.ConnectionState;
import dev.sluice.policy.model.Effect;
import dev.sluice.policy.model.Origin;
import dev.sluice.policy.model.Policy;
import dev.sluice.policy.model.PolicyRule;
import dev.sluice.policy.model.Stage;
import dev.sluice.policy.model.ValueSet;
import dev.sluice.policy.model.Vantage;
import dev.sluice.schemas.header.Field;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Policies of an ASA: lists that packets meet as they come in, security levels, lists as they
 * leave. Packets of connections pass all three.
 */
final class AsaPolicies {
    /** Datagrams are put together first. */
    private static final Vantage VANTAGE =
            new Vantage(true, true, false, true, Vantage.States.TRACKED);

    private static final Condition TRACKED =
            new Condition.In(Field.IP_PROTO, ValueSet.of(6).or(ValueSet.of(17)));

    private static final Condition ICMP =
            new Condition.In(
                    Field.IP_PROTO, ValueSet.of(CiscoNames.ICMP).or(ValueSet.of(CiscoNames.ICMP6)));

    private static final int FLAGS = 0x17;

    private final AsaText text;
    private final RuleReading in;
    private final Map<String, List<PolicyRule>> entries = new LinkedHashMap<>();

    AsaPolicies(AsaText text, RuleReading in, boolean skip) {
        this.text = text;
        this.in = in;
        text.lists.forEach((name, list) -> entries.put(name, list.rules(text.objects, in, skip)));
    }

    /** The policies by the names that users ask for. */
    Map<String, Policy> policies() {
        Map<String, Policy> all = new LinkedHashMap<>();
        List<Stage> way = new ArrayList<>();
        if (text.places.values().stream().anyMatch(AsaText.Place::in)) {
            way.add(stage(true));
        }
        if (text.sides.size() > 1) {
            way.add(levels());
        }
        if (text.places.values().stream().anyMatch(place -> !place.in())) {
            way.add(stage(false));
        }
        if (!way.isEmpty()) {
            all.put("", new Policy("the way through the device", RouterPolicies.IP, way, null));
        }
        for (Stage stage : way) {
            all.put(
                    stage.name(),
                    new Policy(stage.name(), RouterPolicies.IP, List.of(stage), null));
        }
        for (AccessList list : text.lists.values()) {
            List<PolicyRule> rules = entries.getOrDefault(list.name, List.of());
            Stage alone =
                    new Stage(list.name, list.name, Map.of(list.name, rules), end(list), VANTAGE);
            all.putIfAbsent(
                    list.name, new Policy(list.name, RouterPolicies.IP, List.of(alone), null));
        }
        return all;
    }

    private PolicyRule end(AccessList list) {
        return list.general(
                in, "the end of list %s denies".formatted(list.name), Condition.ALWAYS, false);
    }

    private PolicyRule rule(
            int line, String chain, String words, Condition condition, boolean permit) {
        return new PolicyRule(
                new Origin(in.file(), line, chain, "", words, null),
                condition,
                permit ? AccessList.PERMIT : AccessList.DENY,
                permit ? "permit" : "deny");
    }

    /** The rules before all others: what belongs to a connection, and what belongs to none. */
    private List<PolicyRule> connections(String chain) {
        List<PolicyRule> rules = new ArrayList<>();
        Condition known = new Condition.InState(Set.of(ConnectionState.ESTABLISHED));
        String words = "packets of connections that were permitted";
        rules.add(rule(0, chain, words, Condition.all(TRACKED, known), true));
        Condition others = Condition.all(known, Condition.not(TRACKED));
        if (text.inspectsIcmp) {
            rules.add(rule(0, chain, words, Condition.all(ICMP, known), true));
            others = Condition.all(others, Condition.not(ICMP));
        } else if (text.whole) {
            others = Condition.all(others, Condition.not(ICMP));
        }
        Condition unknown = new Condition.Unknown("what the device tracks and inspects");
        rules.add(rule(0, chain, words, Condition.all(others, unknown), true));
        Condition opened = new Condition.InState(Set.of(ConnectionState.RELATED));
        rules.add(rule(0, chain, words, Condition.all(opened, unknown), true));
        Condition first =
                Condition.all(
                        Condition.is(Field.IP_PROTO, CiscoNames.TCP),
                        Condition.is(Field.PORTS_PRESENT, 1),
                        Condition.not(new Condition.Bits(Field.TCP_FLAGS, 0x02, FLAGS)));
        Condition denied =
                text.bypasses
                        ? Condition.all(first, new Condition.Unknown("tcp-state-bypass"))
                        : first;
        rules.add(rule(0, chain, "TCP without a connection that is no SYN", denied, false));
        return rules;
    }

    private Stage stage(boolean incoming) {
        String side = incoming ? "in" : "out";
        String base = side + " of interfaces";
        List<PolicyRule> rules = connections(base);
        Map<String, List<PolicyRule>> chains = new LinkedHashMap<>();
        chains.put(base, rules);
        AsaText.Place everywhere = text.places.get("global ");
        List<AsaText.Place> places =
                new ArrayList<>(
                        text.places.values().stream()
                                .filter(one -> one.in() == incoming && !one.at().isEmpty())
                                .toList());
        if (incoming && everywhere != null) {
            places.add(everywhere);
        }
        for (AsaText.Place one : places) {
            Condition at =
                    one.at().isEmpty()
                            ? Condition.ALWAYS
                            : new Condition.Interface(incoming, one.at());
            List<String> names = new ArrayList<>(List.of(one.list()));
            if (incoming && everywhere != null && !one.equals(everywhere)) {
                names.add(everywhere.list());
            }
            int line = one.words().line;
            if (!text.lists.keySet().containsAll(names)) {
                in.warn(
                        line,
                        "a list of " + names + " is not in the file: packets depend there; add it");
                Condition unknown =
                        Condition.all(at, new Condition.Unknown("a list that the file lacks"));
                rules.add(rule(line, base, one.words().text(), unknown, true));
                rules.add(rule(line, base, one.words().text(), at, false));
                continue;
            }
            String chain = String.join(" and ", names);
            chains.computeIfAbsent(chain, none -> chain(names));
            rules.add(
                    new PolicyRule(
                            new Origin(in.file(), line, base, "", one.words().text(), null),
                            at,
                            new Effect.Jump(chain),
                            "list " + chain));
        }
        PolicyRule end = rule(0, base, "no list stands there", Condition.ALWAYS, true);
        return new Stage(side, base, chains, end, VANTAGE);
    }

    private List<PolicyRule> chain(List<String> names) {
        List<PolicyRule> rules = new ArrayList<>();
        for (String name : names) {
            rules.addAll(entries.getOrDefault(name, List.of()));
        }
        AccessList last = text.lists.get(names.get(names.size() - 1));
        if (last != null) {
            rules.add(end(last));
        }
        return rules;
    }

    /** The stage of security levels: a lower one does not reach a higher one without a list. */
    private Stage levels() {
        String base = "security levels";
        List<PolicyRule> rules = connections(base);
        boolean global = text.places.containsKey("global ");
        for (AsaText.Side from : text.sides.values()) {
            boolean listed = global || text.places.containsKey("in " + from.name());
            List<Condition> denied = new ArrayList<>();
            for (AsaText.Side to : text.sides.values()) {
                boolean same = to.name().equals(from.name());
                boolean level = to.level() == from.level();
                boolean barred =
                        same
                                ? text.intraLine == 0
                                : level
                                        ? text.interLine == 0
                                        : to.level() > from.level() && !listed;
                if (barred) {
                    denied.add(new Condition.Interface(false, to.name()));
                }
            }
            if (!denied.isEmpty()) {
                Condition at = new Condition.Interface(true, from.name());
                rules.add(
                        rule(
                                from.line(),
                                base,
                                "security-level %d of %s".formatted(from.level(), from.name()),
                                Condition.all(at, new Condition.Any(denied)),
                                false));
            }
        }
        PolicyRule end = rule(0, base, "security levels permit", Condition.ALWAYS, true);
        return new Stage("levels", base, Map.of(base, rules), end, VANTAGE);
    }
}

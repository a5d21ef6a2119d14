package dev.sluice.policy.junos;

import static dev.sluice.policy.model.Condition.all;
import static dev.sluice.policy.model.Condition.any;
import static dev.sluice.policy.model.Condition.is;
import static dev.sluice.policy.model.Condition.not;

import dev.sluice.policy.model.Condition;
import dev.sluice.policy.model.ConnectionState;
import dev.sluice.policy.model.Effect;
import dev.sluice.policy.model.PolicyRule;
import dev.sluice.policy.model.Stage;
import dev.sluice.policy.model.Vantage;
import dev.sluice.schemas.header.Field;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Security policies of SRX: sessions that stand, then the policies of the two zones, then those of
 * all zones, then the default (Juniper, "Security Policies Overview"; "Global Security Policies").
 */
final class ZonePolicies {
    private static final String NAME = "policies";

    /** Packets to or from the device itself, which pass no policy of two zones. */
    private static final String DEVICE = "junos-host";

    /** A datagram is judged as a whole. */
    private static final Vantage VANTAGE =
            new Vantage(true, true, false, true, Vantage.States.TRACKED);

    private final Config config;
    private final AddressBooks books;
    private final Applications applications;
    private final @Nullable Statement policies;
    private final List<Statement> zones;

    /** Zones of a packet; null: its interfaces tell them. */
    private record Pair(@Nullable String from, @Nullable String to) {}

    private static final Pair ANY = new Pair(null, null);

    ZonePolicies(Config config) {
        this.config = config;
        books = new AddressBooks(config);
        applications = new Applications(config);
        policies = config.root().at("security", "policies");
        Statement all = config.root().at("security", "zones", "security-zone");
        zones = all == null ? List.of() : all.children();
    }

    /** The stages by name: of all packets first, then of each two zones; none without policies. */
    Map<String, Stage> stages() {
        Map<String, Stage> stages = new LinkedHashMap<>();
        boolean anywhere = zones.stream().anyMatch(zone -> zone.has("interfaces"));
        if (policies == null && !anywhere) {
            return stages;
        }
        Map<String, List<PolicyRule>> chains = new LinkedHashMap<>();
        List<PolicyRule> base = new ArrayList<>(sessions());
        chains.put(NAME, base);
        if (!zones.isEmpty() && zones.stream().allMatch(zone -> zone.has("interfaces"))) {
            base.add(
                    config.rule(
                            0,
                            NAME,
                            "the interface is in no zone",
                            not(all(inAnyZone(true), inAnyZone(false))),
                            Config.DENY,
                            "deny"));
        }
        for (Statement from :
                policies == null ? List.<Statement>of() : policies.children("from-zone")) {
            for (Statement to : from.children("to-zone")) {
                Pair pair = new Pair(from.word, to.word);
                String chain = from.word + ":" + to.word;
                List<PolicyRule> rules = rules(to, chain, pair, ANY);
                stages.put(chain, alone(chain, rules, pair));
                if (!from.word.equals(DEVICE) && !to.word.equals(DEVICE)) {
                    chains.put(chain, rules);
                    base.add(
                            config.rule(
                                    to.line,
                                    NAME,
                                    "from-zone %s to-zone %s".formatted(from.word, to.word),
                                    all(zone(true, from.word), zone(false, to.word)),
                                    new Effect.Jump(chain),
                                    "policies " + chain));
                }
            }
        }
        base.addAll(globals(ANY));
        Map<String, Stage> all = new LinkedHashMap<>();
        all.put(NAME, new Stage(NAME, NAME, chains, end(), VANTAGE));
        all.putAll(stages);
        return all;
    }

    private Stage alone(String chain, List<PolicyRule> rules, Pair pair) {
        List<PolicyRule> base = new ArrayList<>(sessions());
        base.addAll(rules);
        base.addAll(globals(pair));
        return new Stage(chain, chain, Map.of(chain, base), end(), VANTAGE);
    }

    private List<PolicyRule> globals(Pair pair) {
        Statement global = policies == null ? null : policies.child("global");
        return global == null ? List.of() : rules(global, "global", ANY, pair);
    }

    private PolicyRule end() {
        Statement given = policies == null ? null : policies.child("default-policy");
        boolean permits = given != null && given.has("permit-all");
        return config.rule(
                given == null ? 0 : given.line,
                NAME,
                permits ? "default-policy permit-all" : "default-policy deny-all",
                Condition.ALWAYS,
                permits ? Config.PERMIT : Config.DENY,
                permits ? "permit" : "deny");
    }

    /** Packets of sessions pass; another one of TCP begins a session by its SYN alone. */
    private List<PolicyRule> sessions() {
        List<PolicyRule> rules = new ArrayList<>();
        rules.add(
                config.rule(
                        0,
                        NAME,
                        "packets of sessions that were permitted",
                        new Condition.InState(
                                Set.of(ConnectionState.ESTABLISHED, ConnectionState.RELATED)),
                        Config.PERMIT,
                        "permit"));
        if (config.root().at("security", "flow", "tcp-session", "no-syn-check") == null) {
            Condition begins =
                    any(
                            new Condition.Bits(Field.TCP_FLAGS, 0, 0x02),
                            all(
                                    any(flag(0x01), flag(0x04), flag(0x10)),
                                    new Condition.Unknown("SYN beside ACK, RST or FIN")));
            rules.add(
                    config.rule(
                            0,
                            NAME,
                            "TCP without SYN begins no session (tcp-session no-syn-check)",
                            all(is(Field.IP_PROTO, 6), is(Field.PORTS_PRESENT, 1), begins),
                            Config.DENY,
                            "deny"));
        }
        return rules;
    }

    private static Condition flag(int bit) {
        return new Condition.Bits(Field.TCP_FLAGS, bit, bit);
    }

    private Condition inAnyZone(boolean incoming) {
        List<Condition> some = new ArrayList<>();
        zones.forEach(zone -> some.add(zone(incoming, zone.word)));
        return new Condition.Any(some);
    }

    /** The packets of a zone; one without interfaces in the file is named like an interface. */
    private Condition zone(boolean incoming, String name) {
        if (name.equals("any")) {
            return Condition.ALWAYS;
        }
        List<Condition> some = new ArrayList<>();
        for (Statement zone : zones) {
            for (Statement each :
                    zone.word.equals(name) ? zone.children("interfaces") : List.<Statement>of()) {
                if (each.word.equals("all")) {
                    some.add(
                            config.skipped(
                                    each.refused("stands for what other zones leave; name them")));
                } else {
                    String unit = each.word.indexOf('.') < 0 ? each.word + ".0" : each.word;
                    some.add(new Condition.Interface(incoming, unit));
                }
            }
        }
        if (some.isEmpty()) {
            some.add(new Condition.Interface(incoming, name));
        }
        return new Condition.Any(some);
    }

    private Condition zones(boolean incoming, List<Statement> names, @Nullable String fixed) {
        if (names.isEmpty()) {
            return Condition.ALWAYS;
        }
        List<Condition> some = new ArrayList<>();
        for (Statement name : names) {
            boolean fits = name.word.equals(fixed) || name.word.equals("any");
            some.add(
                    fixed == null
                            ? zone(incoming, name.word)
                            : fits ? Condition.ALWAYS : Condition.NEVER);
        }
        return new Condition.Any(some);
    }

    /**
     * The rules of the policies of a block.
     *
     * @param booked zones whose address books count
     * @param fixed zones of the packets that are judged
     */
    private List<PolicyRule> rules(Statement block, String chain, Pair booked, Pair fixed) {
        List<PolicyRule> rules = new ArrayList<>();
        for (Statement each : block.children()) {
            if (each.word.equals("policy")) {
                each.children().forEach(policy -> add(policy, chain, booked, fixed, rules));
            } else if (!Set.of("apply-groups", "apply-groups-except", "description")
                    .contains(each.word)) {
                config.skipped(each.refused("is no statement that can be read there"));
            }
        }
        return rules;
    }

    private void add(
            Statement policy, String chain, Pair booked, Pair fixed, List<PolicyRule> rules) {
        List<Condition> conditions = new ArrayList<>();
        Statement match = policy.child("match");
        if (match != null) {
            for (Statement one : match.children()) {
                Condition condition = match(one, match, booked, fixed);
                if (condition != null && !condition.equals(Condition.ALWAYS)) {
                    conditions.add(condition);
                }
            }
        }
        for (Statement part : policy.children()) {
            switch (part.word) {
                case "match", "then", "description", "apply-groups", "report-skip" -> {}
                case "scheduler-name" ->
                        conditions.add(
                                config.unknown(
                                        part.line, part.text() + ": its times are not read"));
                default ->
                        conditions.add(
                                config.skipped(
                                        part.refused(
                                                "is no statement of a policy; write match or then")));
            }
        }
        PolicyRule rule =
                config.rule(
                        policy.line,
                        chain,
                        chain + " policy " + policy.text(),
                        new Condition.All(conditions),
                        Config.PERMIT,
                        "permit");
        try {
            addAction(policy, rule, rules);
        } catch (JunosException e) {
            rules.addAll(config.unclear(rule, config.skipped(e)));
        }
    }

    private @Nullable Condition match(Statement one, Statement match, Pair booked, Pair fixed) {
        return switch (one.word) {
            case "source-address" -> address(one, match, booked.from(), true);
            case "destination-address" -> address(one, match, booked.to(), false);
            case "source-address-excluded", "destination-address-excluded", "apply-groups" -> null;
            case "application" -> {
                List<Condition> some = new ArrayList<>();
                one.children().forEach(name -> some.add(applications.of(name)));
                yield any(some.toArray(Condition[]::new));
            }
            case "from-zone" -> zones(true, one.children(), fixed.from());
            case "to-zone" -> zones(false, one.children(), fixed.to());
            case "source-identity",
                    "dynamic-application",
                    "url-category",
                    "source-end-user-profile" ->
                    one.has("any") || one.has("none")
                            ? null
                            : config.unknown(one.line, one.text() + ": no header tells it");
            default ->
                    config.skipped(
                            one.refused(
                                    "is a match condition that cannot be read; leave the policy open by --skip-unsupported"));
        };
    }

    private Condition address(
            Statement one, Statement match, @Nullable String zone, boolean source) {
        Condition some = books.of(one.children(), zone == null ? "" : zone, source);
        return match.has(one.word + "-excluded") ? not(some) : some;
    }

    private void addAction(Statement policy, PolicyRule rule, List<PolicyRule> rules)
            throws JunosException {
        Statement done = null;
        for (Statement each : policy.children("then")) {
            switch (each.word) {
                case "permit", "deny", "reject" -> {
                    if (done != null) {
                        throw each.refused("decides beside %s; leave one".formatted(done.word));
                    }
                    done = each;
                }
                case "log", "count", "apply-groups" -> {}
                default ->
                        throw each.refused(
                                "is an action that cannot be read; write permit or deny");
            }
        }
        if (done == null) {
            throw policy.refused("has no action; write then permit or then deny");
        }
        if (!done.word.equals("permit")) {
            rules.add(new PolicyRule(rule.origin(), rule.condition(), Config.DENY, done.word));
            return;
        }
        Condition open = null;
        for (Statement part : done.children()) {
            switch (part.word) {
                case "tunnel", "services-offload", "tcp-options", "no-services-offload" -> {}
                case "application-services" ->
                        config.warn(part.line, part.text() + ": permits here, and may drop later");
                case "firewall-authentication", "destination-address" ->
                        open =
                                config.unknown(
                                        part.line,
                                        part.text() + ": no header tells whether it permits");
                default ->
                        open =
                                config.skipped(
                                        part.refused("is no part of permit that can be read"));
            }
        }
        if (open == null) {
            rules.add(rule);
        } else {
            rules.add(rule.with(all(rule.condition(), open), Config.PERMIT));
            rules.add(rule.with(rule.condition(), Config.DENY));
        }
    }
}

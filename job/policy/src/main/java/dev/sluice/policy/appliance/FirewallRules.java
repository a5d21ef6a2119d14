package dev.sluice.policy.appliance;

import static dev.sluice.policy.model.Condition.all;
import static dev.sluice.policy.model.Condition.any;
import static dev.sluice.policy.model.Condition.is;

import dev.sluice.policy.RuleReading;
import dev.sluice.policy.RuleSyntaxException;
import dev.sluice.policy.model.Condition;
import dev.sluice.policy.model.ConnectionState;
import dev.sluice.policy.model.Effect;
import dev.sluice.policy.model.Origin;
import dev.sluice.policy.model.Outcome;
import dev.sluice.policy.model.Policy;
import dev.sluice.policy.model.PolicyRule;
import dev.sluice.policy.model.Stage;
import dev.sluice.policy.model.ValueSet;
import dev.sluice.policy.model.Vantage;
import dev.sluice.schemas.header.Field;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Stage of a stateful firewall that grows, rule by rule. */
public final class FirewallRules {
    /** Packets of IP, which alone come to these firewalls. */
    public static final Condition IP =
            any(is(Field.IP_VERSION, Field.VERSION_4), is(Field.IP_VERSION, Field.VERSION_6));

    /** All ports. */
    public static final ValueSet PORTS = ValueSet.of(0, 0xffff);

    private static final Effect PERMIT = new Effect.Decide(Outcome.PERMIT);
    private static final Effect DENY = new Effect.Decide(Outcome.DENY);

    /** Fragments are judged with their datagram, whose ports a later one does not tell. */
    private static final Vantage WHOLE =
            new Vantage(true, true, false, true, Vantage.States.TRACKED);

    private final RuleReading in;
    private final String name;
    private final List<PolicyRule> rules = new ArrayList<>();

    /** Rules of a file, without any yet. */
    public FirewallRules(RuleReading in, String name) {
        this.in = in;
        this.name = name;
    }

    /** The condition that some connection lets the packet through before all rules. */
    public static Condition established() {
        return new Condition.InState(Set.of(ConnectionState.ESTABLISHED, ConnectionState.RELATED));
    }

    /** Adds that packets of allowed connections pass. */
    public void addEstablished() {
        add(
                rule(
                        0,
                        name,
                        "",
                        "packets of connections that were allowed",
                        established(),
                        true,
                        "pass"));
    }

    /** A rule of the file. */
    public PolicyRule rule(
            int line,
            String chain,
            String comment,
            String text,
            Condition condition,
            boolean permits,
            String action) {
        Origin origin = new Origin(in.file(), line, chain, comment, text, null);
        return new PolicyRule(origin, condition, permits ? PERMIT : DENY, action);
    }

    /** Adds a rule behind the others. */
    public void add(PolicyRule rule) {
        rules.add(rule);
    }

    /**
     * A rule that nobody understands: it permits, denies, or meets no packet.
     *
     * @param condition the part of its condition that is known
     */
    public List<PolicyRule> unclear(
            int line, String chain, String text, Condition condition, String words) {
        return List.of(
                rule(
                        line,
                        chain,
                        "",
                        text,
                        all(condition, new Condition.Unknown(words + " (pass)")),
                        true,
                        "pass"),
                rule(
                        line,
                        chain,
                        "",
                        text,
                        all(condition, new Condition.Unknown(words + " (block)")),
                        false,
                        "block"));
    }

    /** Reports a rule that cannot be read, or keeps it as one that nobody understands. */
    public List<PolicyRule> refused(
            boolean skip, int line, String text, RuleSyntaxException defect) {
        if (!skip) {
            in.defect(line, defect);
            return List.of();
        }
        in.warn(line, "skipped: " + defect.getMessage());
        return unclear(line, name, text, Condition.ALWAYS, "skipped: " + text);
    }

    /** The stage, which ends with a rule of the firewall itself. */
    public Stage stage(String end, boolean permits) {
        return stage(end, permits, true);
    }

    /**
     * The stage.
     *
     * @param reassembled whether fragments are put together before its rules
     */
    public Stage stage(String end, boolean permits, boolean reassembled) {
        return new Stage(
                name,
                name,
                Map.of(name, rules),
                rule(0, name, "", end, Condition.ALWAYS, permits, permits ? "pass" : "block"),
                reassembled ? WHOLE : Vantage.PLAIN);
    }

    /** A policy of some stages. */
    public static Policy policy(String name, List<Stage> stages) {
        return new Policy(name, IP, stages, null);
    }

    /** The packets of a protocol with some ports at its ends. */
    public static Condition ports(int protocol, ValueSet source, ValueSet destination) {
        List<Condition> all = new ArrayList<>(List.of(is(Field.IP_PROTO, protocol)));
        if (!source.equals(PORTS)) {
            all.add(new Condition.In(Field.SRC_PORT, source));
        }
        if (!destination.equals(PORTS)) {
            all.add(new Condition.In(Field.DST_PORT, destination));
        }
        return all(all.toArray(Condition[]::new));
    }

    /** At least one of some conditions. */
    public static Condition anyOf(List<Condition> conditions) {
        return conditions.contains(Condition.ALWAYS)
                ? Condition.ALWAYS
                : any(conditions.toArray(Condition[]::new));
    }

    /**
     * The condition that a packet comes from one of some addresses, or goes to one.
     *
     * @param others conditions of addresses that are no ranges
     * @param negated whether it holds of all other packets
     */
    public static Condition addresses(
            AddressRanges known, List<Condition> others, boolean source, boolean negated) {
        List<Condition> parts = new ArrayList<>();
        if (!known.equals(AddressRanges.NONE)) {
            parts.add((negated ? known.others() : known).condition(source));
        }
        others.forEach(each -> parts.add(negated ? Condition.not(each) : each));
        return negated ? allOf(parts) : anyOf(parts);
    }

    /** All of some conditions. */
    public static Condition allOf(List<Condition> conditions) {
        return all(
                conditions.stream()
                        .filter(one -> !one.equals(Condition.ALWAYS))
                        .toArray(Condition[]::new));
    }
}

package dev.sluice.policy.cloud;

import dev.sluice.policy.model.Condition;
import dev.sluice.policy.model.ConnectionState;
import dev.sluice.policy.model.Effect;
import dev.sluice.policy.model.Origin;
import dev.sluice.policy.model.Outcome;
import dev.sluice.policy.model.PolicyRule;
import dev.sluice.policy.model.Stage;
import dev.sluice.policy.model.Vantage;
import dev.sluice.policy.yaml.AddressSet;
import dev.sluice.policy.yaml.YamlPosition;
import dev.sluice.schemas.header.Field;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Stage at one end of the traffic, which grows rule by rule. */
final class CloudStage {
    static final Effect PERMIT = new Effect.Decide(Outcome.PERMIT);
    static final Effect DENY = new Effect.Decide(Outcome.DENY);

    /** Packets of IP, of which clouds judge no others. */
    static final Condition IP =
            Condition.any(
                    Condition.is(Field.IP_VERSION, Field.VERSION_4),
                    Condition.is(Field.IP_VERSION, Field.VERSION_6));

    /** Fragments are judged with their datagram, whose ports a later one does not tell. */
    private static final Vantage VANTAGE =
            new Vantage(true, true, false, true, Vantage.States.TRACKED);

    final String name;
    final boolean out;
    private final String file;
    private final Map<String, List<PolicyRule>> chains = new LinkedHashMap<>();
    private final List<PolicyRule> base = new ArrayList<>();

    /**
     * A stage without rules.
     *
     * @param out whether it judges what leaves the end that has the source address, else what comes
     *     to the end that has the destination address
     */
    CloudStage(String name, boolean out, String file) {
        this.name = name;
        this.out = out;
        this.file = file;
        chains.put(name, base);
    }

    /** The condition that the judged end has one of these addresses. */
    Condition own(AddressSet addresses) {
        return addresses.condition(out);
    }

    /** The condition that the other end has one of these addresses. */
    Condition peer(AddressSet addresses) {
        return addresses.condition(!out);
    }

    /** Adds a rule of the cloud itself, which stands in no file, to the base chain. */
    void add(String text, Condition condition, Effect effect) {
        base.add(general(text, condition, effect));
    }

    /** A rule of the cloud itself, which stands in no file. */
    PolicyRule general(String text, Condition condition, Effect effect) {
        return rule(new YamlPosition(file, 0, 1), text, condition, effect);
    }

    /** Adds a rule to the base chain. */
    void add(PolicyRule rule) {
        base.add(rule);
    }

    /** Adds a rule of an object to the base chain. */
    void add(YamlPosition at, String text, Condition condition, Effect effect) {
        base.add(rule(at, text, condition, effect));
    }

    /** Adds that the outcome of packets is unknown, whatever the rules behind say. */
    void addUnclear(String text, Condition condition, String unknown) {
        Condition of = Condition.all(condition, new Condition.Unknown(unknown));
        add(text, of, PERMIT);
        add(text, of, DENY);
    }

    /**
     * Adds that nobody tells by which public address a source is known behind the gateway that its
     * packets to a public address pass.
     */
    void addTranslated(AddressSet privates, AddressSet publics) {
        if (!out && !publics.isEmpty()) {
            addUnclear(
                    "a gateway translates the source of what goes to a public address",
                    Condition.all(own(publics), peer(privates)),
                    "the public address of the source");
        }
    }

    /** Adds that packets of connections that were permitted pass. */
    void addReplies() {
        add(
                "packets of connections that were allowed",
                new Condition.InState(Set.of(ConnectionState.ESTABLISHED, ConnectionState.RELATED)),
                PERMIT);
    }

    /** Adds a list as a chain; called again for a list that is there, it changes nothing. */
    void addChain(String list, List<PolicyRule> rules) {
        chains.putIfAbsent(list, rules);
    }

    /** The rules of a chain; none where there is none. */
    List<PolicyRule> chain(String list) {
        return chains.getOrDefault(list, List.of());
    }

    /** A rule of an object, which stands in the base chain. */
    PolicyRule rule(YamlPosition at, String text, Condition condition, Effect effect) {
        Origin origin = new Origin(at.file(), at.line(), name, "", text, null);
        String action = effect.equals(PERMIT) ? "allow" : effect.equals(DENY) ? "deny" : "select";
        return new PolicyRule(origin, condition, effect, action);
    }

    /**
     * The stage, with a rule for packets that no rule decides about.
     *
     * @param text words of that rule
     */
    Stage ending(String text, Effect effect) {
        PolicyRule end = general(text, Condition.ALWAYS, effect);
        return new Stage(name, name, chains, end, VANTAGE);
    }
}

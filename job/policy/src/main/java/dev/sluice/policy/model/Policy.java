package dev.sluice.policy.model;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Policy: stages in the order in which a packet meets them. A packet passes if every stage permits
 * it.
 *
 * @param judges condition of the packets that come to the policy at all, such as those of IPv4
 * @param stages at least one
 * @param untracked permits the packets that connection tracking is told to skip, so that their
 *     state is {@link ConnectionState#UNTRACKED}; null: there are none
 * @param comes permits the packets that come to the policy, of those that {@code judges} holds of;
 *     null: all
 * @param translated the policy by translation of destinations, where the file translates some
 */
public record Policy(
        String name,
        Condition judges,
        List<Stage> stages,
        @Nullable Stage untracked,
        @Nullable Stage comes,
        List<Translated> translated) {
    private static final Condition SENT_ANEW =
            new Condition.Unknown("what nat of OUTPUT makes of the host's own packets");

    /** A policy of packets whose addresses nothing translates. */
    public Policy(String name, Condition judges, List<Stage> stages, @Nullable Stage untracked) {
        this(name, judges, stages, untracked, null, List.of());
    }

    /**
     * The policy as it judges packets of one translation.
     *
     * @param comes permits the first packets of connections that are translated so
     * @param translation what becomes of them; null: nothing
     * @param stages the stages of the policy, of which some see the translated packet
     */
    public record Translated(Stage comes, @Nullable Translation translation, List<Stage> stages) {
        /** Copies the list. */
        public Translated {
            stages = List.copyOf(stages);
        }
    }

    /** Copies the lists. */
    public Policy {
        stages = List.copyOf(stages);
        translated = List.copyOf(translated);
        if (stages.isEmpty()) {
            throw new IllegalArgumentException("policy " + name + " has no stage");
        }
    }

    /**
     * The policies that judge the packets of each translation. What the host sends meets nat on its
     * way out alone.
     *
     * @param sends whether nat translates what the host sends: nobody tells then which of its own
     *     packets come back to it
     */
    public List<Policy> byTranslation(@Nullable Host host, boolean sends) {
        List<Policy> policies = new ArrayList<>();
        boolean arrives = host != null && !name.equalsIgnoreCase("OUTPUT");
        Condition sent = host == null ? Condition.NEVER : host.sends();
        if (host != null && name.equalsIgnoreCase("INPUT")) {
            List<Condition> own = new ArrayList<>(Condition.parts(host.meets(name, judges)));
            own.add(sent);
            if (sends) {
                own.add(SENT_ANEW);
            }
            policies.add(new Policy(name, new Condition.All(own), stages, null));
        }
        for (Translated one : translated) {
            Translation to = one.translation();
            Condition meets = judges;
            if (to != null && to.local() && name.equalsIgnoreCase("FORWARD")) {
                meets = Condition.NEVER; // it goes to the host
            } else if (host != null
                    && (to == null || !to.local() || name.equalsIgnoreCase("OUTPUT"))) {
                meets = host.meets(name, judges);
            }
            List<Condition> all =
                    new ArrayList<>(Condition.parts(to == null ? meets : to.of(meets)));
            if (arrives) {
                all.add(Condition.not(sent));
            }
            Condition comes = new Condition.All(all);
            policies.add(new Policy(name, comes, one.stages(), null, one.comes(), List.of()));
        }
        return policies;
    }

    /**
     * The policy of the packets that others send to the host, and that of its own, of which nobody
     * tells what comes back to it behind nat.
     */
    public List<Policy> bySender(Host host) {
        List<Condition> others = new ArrayList<>(Condition.parts(host.meets(name, judges)));
        List<Condition> own = new ArrayList<>(others);
        others.add(Condition.not(host.sends()));
        own.add(host.sends());
        own.add(SENT_ANEW);
        return List.of(
                new Policy(name, new Condition.All(others), stages, untracked),
                new Policy(name, new Condition.All(own), stages, untracked));
    }

    /** The conditions of its rules, and of the packets that come to it and its stages. */
    public Stream<Condition> conditions() {
        List<Stage> all = new ArrayList<>(stages);
        stages.forEach(stage -> all.addAll(stage.before()));
        Stream.of(comes, untracked).filter(Objects::nonNull).forEach(all::add);
        return Stream.concat(
                Stream.of(judges),
                all.stream()
                        .flatMap(
                                stage ->
                                        Stream.concat(
                                                Stream.of(
                                                        stage.judges(),
                                                        stage.vantage().reassembled()),
                                                stage.chains().values().stream()
                                                        .flatMap(List::stream)
                                                        .map(PolicyRule::condition))));
    }

    /** The rules, in the order of their files. */
    public List<PolicyRule> rules() {
        return rules(List.of(this));
    }

    /** The rules of policies, in the order of their files. */
    public static List<PolicyRule> rules(List<Policy> policies) {
        List<PolicyRule> rules = new ArrayList<>();
        Set<PolicyRule> known = new HashSet<>();
        for (Stage stage : policies.stream().flatMap(p -> p.stages.stream()).toList()) {
            for (List<PolicyRule> chain : stage.chains().values()) {
                chain.stream().filter(known::add).forEach(rules::add);
            }
            if (known.add(stage.end())) {
                rules.add(stage.end());
            }
        }
        rules.sort(
                Comparator.comparing((PolicyRule rule) -> rule.origin().file())
                        .thenComparingInt(rule -> rule.origin().line()));
        return rules;
    }
}

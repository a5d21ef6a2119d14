package dev.sluice.policy.convert;

import dev.sluice.policy.model.Condition;
import dev.sluice.policy.model.Effect;
import dev.sluice.policy.model.Outcome;
import dev.sluice.policy.model.Policy;
import dev.sluice.policy.model.PolicyRule;
import dev.sluice.policy.model.Stage;
import dev.sluice.policy.model.ValueSet;
import dev.sluice.policy.model.Vantage;
import dev.sluice.schemas.header.Field;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;

/** Hooks and priorities of nft at which stages see packets as they do now. */
record NftHooks(List<Placed> stages) {
    private static final int RAW = -300;
    private static final int MANGLE = -150;

    /** Priority of hook prerouting from which on fragments are put together, and one before. */
    private static final int REASSEMBLY = -400;

    private static final int UNASSEMBLED = -500;

    private static final int STEP = 10;
    private static final Set<Integer> BOTH = Set.of(Field.VERSION_4, Field.VERSION_6);

    /**
     * A stage in its place.
     *
     * @param versions versions of IP that it judges
     * @param tracks whether a rule has to switch tracking on
     * @param drops whether a packet at its end is dropped
     * @param untracks whether its rules tell tracking to skip packets
     */
    record Placed(
            Stage stage,
            String hook,
            int priority,
            Set<Integer> versions,
            boolean tracks,
            boolean drops,
            boolean untracks) {
        String family() {
            return versions.equals(BOTH)
                    ? "inet"
                    : versions.contains(Field.VERSION_4) ? "ip" : "ip6";
        }
    }

    /** The places of a policy's stages. */
    static NftHooks of(Policy policy) throws UnsayableException {
        List<Placed> placed = new ArrayList<>();
        Stage untracked = policy.untracked();
        boolean told = false;
        for (Stage stage : policy.stages()) {
            boolean untracks = untracked != null && stage.name().equals(untracked.name());
            if (untracked != null && !told && !untracks) {
                placed.add(place(policy, untracked, false, true, placed.size()));
            }
            told = true;
            placed.add(
                    place(
                            policy,
                            untracks ? Objects.requireNonNull(untracked) : stage,
                            denies(stage.end()),
                            untracks,
                            placed.size()));
        }
        requireOrder(placed);
        requireFragments(placed);
        return new NftHooks(placed);
    }

    private static boolean denies(PolicyRule rule) {
        return rule.effect().equals(new Effect.Decide(Outcome.DENY));
    }

    private static Placed place(
            Policy policy, Stage stage, boolean drops, boolean untracks, int number)
            throws UnsayableException {
        Set<Integer> versions = new TreeSet<>(BOTH);
        versions.retainAll(versions(policy.judges()));
        versions.retainAll(versions(stage.judges()));
        if (versions.isEmpty()) {
            throw new UnsayableException(
                    "its stage %s judges no IP packet".formatted(stage.name()));
        }
        Vantage sees = stage.vantage();
        Set<Integer> whole = new TreeSet<>(versions(sees.reassembled()));
        whole.retainAll(versions);
        boolean early = sees.states() != Vantage.States.TRACKED;
        String hook = hook(policy, sees, early || !whole.containsAll(v4(versions)));
        if (sees.outgoing() && sees.incoming() && !sees.forwarded() && asks(stage, Field.TTL)) {
            throw new UnsayableException(
                    "a chain of hook forward sees the TTL lowered, and a rule asks for nw_ttl");
        }
        if (early && !hook.equals("prerouting") && !hook.equals("output")) {
            throw new UnsayableException(
                    "its stage %s sees no states of connections".formatted(stage.name()));
        }
        if (untracks && stage.asksState(false)) {
            throw new UnsayableException(
                    "its stage %s tells tracking to skip packets and asks for their states"
                            .formatted(stage.name()));
        }
        boolean first = hook.equals("prerouting") || hook.equals("output");
        int from =
                early
                        ? hook.equals("prerouting") && whole.isEmpty() ? UNASSEMBLED : RAW
                        : first ? MANGLE : 0;
        if (hook.equals("input")) {
            whole.remove(Field.VERSION_4); // always put together there
        }
        boolean tracks = !whole.isEmpty();
        return new Placed(stage, hook, from + STEP * number, versions, tracks, drops, untracks);
    }

    private static Set<Integer> v4(Set<Integer> versions) {
        return versions.contains(Field.VERSION_4) ? Set.of(Field.VERSION_4) : Set.of();
    }

    private static String hook(Policy policy, Vantage sees, boolean arriving)
            throws UnsayableException {
        if (sees.incoming() && sees.outgoing()) {
            return "forward";
        }
        if (sees.outgoing()) {
            return "output";
        }
        if (!sees.incoming()) {
            throw new UnsayableException("a stage sees no interface");
        }
        boolean input = policy.name().toLowerCase(Locale.ROOT).equals("input");
        return input && !arriving ? "input" : "prerouting";
    }

    private static boolean asks(Stage stage, Field field) {
        return stage.chains().values().stream()
                .flatMap(List::stream)
                .anyMatch(
                        rule ->
                                Condition.has(
                                        rule.condition(),
                                        one -> field.equals(Condition.field(one))));
    }

    /** The versions of IP of the packets that meet a condition which asks for nothing else. */
    private static Set<Integer> versions(Condition condition) throws UnsayableException {
        if (condition instanceof Condition.All all) {
            Set<Integer> versions = new TreeSet<>(BOTH);
            for (Condition one : all.conditions()) {
                versions.retainAll(versions(one));
            }
            return versions;
        }
        if (condition instanceof Condition.Any any) {
            Set<Integer> versions = new TreeSet<>();
            for (Condition one : any.conditions()) {
                versions.addAll(versions(one));
            }
            return versions;
        }
        if (condition instanceof Condition.In in && in.field().equals(Field.IP_VERSION)) {
            ValueSet values = in.values();
            Set<Integer> versions = new TreeSet<>(NftWords.numbers(values));
            versions.retainAll(BOTH);
            return versions;
        }
        throw new UnsayableException("a stage judges packets by more than their version of IP");
    }

    /** Requires that the kernel asks the stages in their order. */
    private static void requireOrder(List<Placed> placed) throws UnsayableException {
        boolean arrived = false;
        int last = Integer.MIN_VALUE;
        for (Placed one : placed) {
            boolean arriving = one.hook.equals("prerouting");
            if (arriving && arrived || arriving == !arrived && one.priority <= last) {
                throw new UnsayableException(
                        "its stage %s comes where nft asks it earlier".formatted(one.stage.name()));
            }
            last = arriving || arrived ? one.priority : Integer.MIN_VALUE;
            arrived |= !arriving;
        }
    }

    /** Requires that each stage sees fragments whole, or not, as it does now. */
    private static void requireFragments(List<Placed> placed) throws UnsayableException {
        Set<Integer> tracked = new TreeSet<>();
        for (Placed one : placed) {
            if (one.tracks || one.stage.asksState(false)) {
                tracked.addAll(one.versions);
            }
        }
        for (Placed one : placed) {
            Set<Integer> whole = new TreeSet<>(versions(one.stage.vantage().reassembled()));
            for (int version : one.versions) {
                boolean given = version == Field.VERSION_4 && one.hook.equals("input");
                boolean there = (given || tracked.contains(version)) && one.priority >= REASSEMBLY;
                if (there != whole.contains(version)) {
                    throw new UnsayableException(
                            "its stage %s sees fragments in another way than a chain of nft does"
                                    .formatted(one.stage.name()));
                }
            }
        }
    }
}

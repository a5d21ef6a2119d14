package dev.sluice.policy.explain;

import dev.sluice.policy.PolicyFile;
import dev.sluice.policy.model.Assumptions;
import dev.sluice.policy.model.ConnectionState;
import dev.sluice.policy.model.Policy;
import dev.sluice.policy.model.PolicyRule;
import dev.sluice.policy.model.Stage;
import dev.sluice.policy.model.Vantage;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Ways of a packet to rules of a policy: the conditions of the jumps that lead there. */
final class RulePaths {
    /** Most ways that are tried. */
    private static final int MOST = 500;

    private final PolicyFile file;
    private final Assumptions assumed;
    private final JudgedPacket packet;
    private final List<Attempt> attempts = new ArrayList<>();

    RulePaths(PolicyFile file, Assumptions assumed, JudgedPacket packet) {
        this.file = file;
        this.assumed = assumed;
        this.packet = packet;
    }

    /** The ways to the rules of a line, those with the fewest needs first. */
    List<Attempt> to(int line) {
        for (Policy policy : file.policies()) {
            boolean asks = policy.stages().stream().anyMatch(stage -> stage.asksState(false));
            for (ConnectionState state : states(policy, asks)) {
                ConnectionState now = state == null ? stated() : state;
                Assumptions there = assumed.meeting(policy.name()).withState(now);
                Needs plain = new Needs(there, Vantage.PLAIN, packet);
                List<Need> judged = plain.of(policy.judges());
                for (Stage stage : policy.stages()) {
                    Needs needs = new Needs(there, stage.vantage(), packet);
                    List<Need> before = new ArrayList<>(judged);
                    before.addAll(needs.of(stage.judges()));
                    walk(stage, stage.base(), needs, before, line, state);
                    if (stage.end().origin().line() == line) {
                        add(before, state);
                    }
                }
            }
        }
        attempts.sort(Comparator.comparingLong(attempt -> Needs.count(attempt.needs())));
        return attempts;
    }

    /** The state of the packet; of an unknown one the first. */
    private ConnectionState stated() {
        ConnectionState known = assumed.state();
        return known == null ? ConnectionState.NEW : known;
    }

    /** The states that the packet may get; null: none, which is the first. */
    private List<@Nullable ConnectionState> states(Policy policy, boolean asks) {
        List<@Nullable ConnectionState> states = new ArrayList<>();
        states.add(null);
        for (ConnectionState one :
                List.of(
                        ConnectionState.NEW,
                        ConnectionState.ESTABLISHED,
                        ConnectionState.UNTRACKED)) {
            boolean can = one != ConnectionState.UNTRACKED || policy.untracked() != null;
            if (asks && can && one != assumed.state()) {
                states.add(one);
            }
        }
        return states;
    }

    private void walk(
            Stage stage,
            String chain,
            Needs of,
            List<Need> before,
            int line,
            @Nullable ConnectionState state) {
        for (PolicyRule rule : stage.chains().getOrDefault(chain, List.of())) {
            String target = Stage.target(rule);
            boolean meant = rule.origin().line() == line;
            if (attempts.size() >= MOST || !meant && target == null) {
                continue;
            }
            List<Need> needs = new ArrayList<>(before);
            of.of(rule.condition()).stream()
                    .filter(need -> !needs.contains(need))
                    .forEach(needs::add);
            if (meant) {
                add(needs, state);
            }
            if (target != null) {
                walk(stage, target, of, needs, line, state);
            }
        }
    }

    private void add(List<Need> needs, @Nullable ConnectionState state) {
        List<Need> all = new ArrayList<>(needs);
        if (state != null) {
            all.add(Needs.state(assumed.state(), state));
        }
        int[] changed = HeaderChanges.applied(packet.header(), needs, file.asked());
        ConnectionState now = state == null ? packet.state() : state;
        attempts.add(new Attempt(all, changed == null ? null : packet.with(changed, now)));
    }
}

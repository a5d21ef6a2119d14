package dev.sluice.policy.kernel;

import dev.sluice.policy.kernel.KernelAnswer.Step;
import java.util.List;

/** Reader of a policy that says of each packet what the kernel should say. */
interface PacketJudge {
    Judgement judge(ProbePacket packet);

    /**
     * Word on a packet.
     *
     * @param passed whether the packet comes through
     * @param decisions the rule that decides in each base chain that the packet meets, in order
     */
    record Judgement(boolean passed, List<Step> decisions) {
        public Judgement {
            decisions = List.copyOf(decisions);
        }

        /** Returns the kernel's word on a policy; empty tables that it still holds say nothing. */
        static Judgement of(KernelAnswer answer, GeneratedFirewall firewall) {
            return new Judgement(
                    answer.passed(),
                    answer.decisions().stream()
                            .filter(
                                    step ->
                                            firewall.tables().stream()
                                                    .anyMatch(t -> t.name().equals(step.table())))
                            .toList());
        }
    }
}

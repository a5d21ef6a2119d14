package dev.sluice.lab.generate;

import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/**
 * Source of a policy's rules. The first rules walk down chains of prefixes, each prefix within the
 * one before. Not thread-safe.
 */
abstract class PolicyShape {
    final SplittableRandom random;
    final ServiceKinds kinds;
    private List<Subnet[]> chain = List.of();
    private int drawn;

    PolicyShape(SplittableRandom random, ServiceKinds kinds) {
        this.random = random;
        this.kinds = kinds;
    }

    /** Sets the prefixes of the first rules: two chains, walked down side by side. */
    final void start(List<Subnet> src, List<Subnet> dst) {
        chain =
                IntStream.range(0, src.size())
                        .mapToObj(i -> new Subnet[] {src.get(i), dst.get(i)})
                        .toList();
    }

    /** Returns the last rules of the file and then of its sections, the most important first. */
    List<PolicyLine> closing() {
        return List.of(PolicyLine.DEFAULT);
    }

    /**
     * Returns the next rule: one of a new kind where some are left, else any, perhaps one that was
     * there before.
     *
     * @param remaining rules that are still to come, this one included
     */
    final PolicyLine next(int remaining) {
        if (drawn < chain.size()) {
            Subnet[] pair = chain.get(drawn++);
            return new PolicyLine(0, pair[0], pair[1], kinds.next());
        }
        return draw(remaining);
    }

    /** Draws a rule behind the chain; {@link #next} has the promise. */
    abstract PolicyLine draw(int remaining);
}

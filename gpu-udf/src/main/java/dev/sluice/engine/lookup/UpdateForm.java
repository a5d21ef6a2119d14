package dev.sluice.engine.lookup;

import java.util.function.Supplier;

/** How rules that change while they are looked into are held. */
public sealed interface UpdateForm {
    /**
     * In two copies of a structure that takes and loses rules.
     *
     * @param algorithm looks into the structures' memory
     * @param structures makes an empty structure
     */
    record InPlace(Algorithm algorithm, Supplier<RuleStructure> structures) implements UpdateForm {}

    /**
     * In a compiled base with a small overlay, until a new base replaces both.
     *
     * @param bases compiles the bases
     */
    record Overlaid(BaseCompiler bases) implements UpdateForm {}
}

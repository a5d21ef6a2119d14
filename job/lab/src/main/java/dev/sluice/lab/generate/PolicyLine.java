package dev.sluice.lab.generate;

/**
 * Rule of a generated policy.
 *
 * @param section rules of one section stand together, sections by their numbers
 */
record PolicyLine(int section, Subnet src, Subnet dst, ServiceKind kind) {
    /** The rule that stands last in a file. */
    static final PolicyLine DEFAULT =
            new PolicyLine(Integer.MAX_VALUE, Subnet.ANY, Subnet.ANY, ServiceKind.ANY);

    /** The text, as rule files have it. */
    String text() {
        return "@%s\t%s\t%s\t0x0000/0x0000\t".formatted(src.text(), dst.text(), kind.text());
    }
}

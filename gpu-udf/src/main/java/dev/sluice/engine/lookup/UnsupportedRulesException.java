package dev.sluice.engine.lookup;

/** A rule set that an algorithm cannot express. */
public final class UnsupportedRulesException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** Says what is wrong with the rules of a policy, whatever the algorithm. */
    public UnsupportedRulesException(String what) {
        super(what);
    }

    /**
     * Names what stands in the way.
     *
     * @param algorithm the algorithm's label
     * @param line line of the offending rule in its file, 0 if unknown
     * @param what what the algorithm lacks
     */
    public UnsupportedRulesException(String algorithm, int line, String what) {
        super(
                "algorithm %s cannot serve this rule set%s: %s; choose another algorithm, or auto"
                        .formatted(
                                algorithm, line > 0 ? " (rule at line " + line + ")" : "", what));
    }
}

package dev.sluice.operators.classify;

import dev.sluice.operators.rules.RuleLog;
import java.io.Serializable;

/**
 * Waits for the first complete rule set when an operator starts without one in its state. Packets
 * wait meanwhile in front of the operator, held by Flink's back-pressure, so that none is ever
 * classified by an empty or partial rule set and none is buffered.
 */
public interface RuleBootstrap extends Serializable {
    /**
     * Feeds messages of the rules stream, from its start on, until a rule set is in force and every
     * message that was there at the call was fed.
     *
     * @throws Exception if the rules cannot be read; the task then fails and is started again
     */
    void await(RuleLog rules) throws Exception;
}

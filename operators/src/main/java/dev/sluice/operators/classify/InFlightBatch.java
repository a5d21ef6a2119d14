package dev.sluice.operators.classify;

import dev.sluice.engine.lookup.PendingVerdicts;

/**
 * A batch whose look-up has started.
 *
 * @param batch the batch, which nobody changes until the verdicts are there
 * @param pending ends with the verdicts in the batch
 */
record InFlightBatch(MicroBatch batch, PendingVerdicts pending) {}

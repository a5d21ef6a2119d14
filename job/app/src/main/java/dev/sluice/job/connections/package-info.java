/**
 * Policies that ask for the state of connections, judged packet by packet in order.
 *
 * <pre>
 * headers ─▶ look-up under a guessed state ─▶ packet by packet: tracker's state ─▶ answer
 *                                                   ▲                              │
 *                                                   └── let through or not ◀───────┘
 * </pre>
 *
 * <p>The state is a word of the header ({@link dev.sluice.schemas.header.Field#CONNECTION_STATE}),
 * which rules ask for. A batch is looked up under the state that each packet's header suggests, all
 * at once. {@link dev.sluice.job.connections.StatefulJudge} then goes through it in order. At the
 * first packet that is in another state, the whole batch is looked up under the second guess, and
 * in the same way under the third; a packet in a state that was not guessed is looked up alone. A
 * packet whose state is unknown states none: it depends where rules that ask for states decide.
 */
@NullMarked
package dev.sluice.job.connections;

import org.jspecify.annotations.NullMarked;

package dev.sluice.operators.classify;

import dev.sluice.engine.rules.RuleSet;
import dev.sluice.operators.rules.RuleLog;
import dev.sluice.schemas.codec.MalformedMessageException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.flink.api.common.state.BroadcastState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.state.OperatorStateStore;
import org.apache.flink.api.common.typeinfo.PrimitiveArrayTypeInfo;
import org.apache.flink.api.common.typeinfo.Types;
import org.jspecify.annotations.Nullable;

/**
 * The rules of an operator instance and their place in its checkpoints: two broadcast states, each
 * a list of rule messages under their numbers from 0.
 *
 * <p>{@code rules-in-force} holds what a {@link RuleLog} needs to go on; {@code open-transaction}
 * is read, since older checkpoints hold messages of an open transaction there, and left empty. Not
 * thread-safe.
 */
final class RuleState {
    private final RuleLog log;
    private final BroadcastState<Integer, byte[]> inForce;
    private final BroadcastState<Integer, byte[]> open;

    /**
     * The rules that a checkpoint held, or none.
     *
     * @throws Exception if the state cannot be read, or is not what a checkpoint wrote
     */
    RuleState(OperatorStateStore store) throws Exception {
        inForce = store.getBroadcastState(messages("rules-in-force"));
        open = store.getBroadcastState(messages("open-transaction"));
        List<byte[]> messages = inOrder(inForce);
        messages.addAll(inOrder(open));
        log = RuleLog.restored(messages);
    }

    private static MapStateDescriptor<Integer, byte[]> messages(String name) {
        return new MapStateDescriptor<>(
                name, Types.INT, PrimitiveArrayTypeInfo.BYTE_PRIMITIVE_ARRAY_TYPE_INFO);
    }

    private static List<byte[]> inOrder(BroadcastState<Integer, byte[]> state) throws Exception {
        TreeMap<Integer, byte[]> sorted = new TreeMap<>();
        for (Map.Entry<Integer, byte[]> entry : state.entries()) {
            sorted.put(entry.getKey(), entry.getValue());
        }
        return new ArrayList<>(sorted.values());
    }

    /** The rule set in force, or null before the first. */
    @Nullable RuleSet current() {
        return log.book().ruleSet();
    }

    /** Waits until there is a rule set in force. */
    void await(RuleBootstrap bootstrap) throws Exception {
        bootstrap.await(log);
        log.rewound();
    }

    /**
     * Takes a message of the rules topic.
     *
     * @return the rule set that it put in force, or null if it did not commit one
     * @throws MalformedMessageException with the reason why a transaction or message is dropped;
     *     the rules in force stay as they were
     */
    @Nullable RuleSet accept(byte[] message) throws MalformedMessageException {
        if (log.accept(message) == null) {
            return null;
        }
        log.servable(log.book().history(), log.book().version());
        return log.book().ruleSet();
    }

    /** Brings the states up to date, for a checkpoint. */
    void snapshot() throws Exception {
        if (log.wantsCompaction()) {
            log.compact();
        }
        replace(inForce, log.messages());
        open.clear();
    }

    private static void replace(BroadcastState<Integer, byte[]> state, List<byte[]> messages)
            throws Exception {
        state.clear();
        for (int i = 0; i < messages.size(); i++) {
            state.put(i, messages.get(i));
        }
    }
}

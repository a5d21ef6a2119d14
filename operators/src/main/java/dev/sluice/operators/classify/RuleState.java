package dev.sluice.operators.classify;

import dev.sluice.engine.rules.RuleSet;
import dev.sluice.operators.rules.RuleTransactions;
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
 * <p>{@code rules-in-force} holds a snapshot that makes the rule set in force, {@code
 * open-transaction} the messages of a transaction whose COMMIT has not come. A restored instance
 * reads both again, in this order. Not thread-safe.
 */
final class RuleState {
    private final RuleTransactions transactions = new RuleTransactions();
    private final BroadcastState<Integer, byte[]> inForce;
    private final BroadcastState<Integer, byte[]> open;

    /** Whether {@link #inForce} is not the rule set in force. */
    private boolean inForceIsStale;

    /**
     * The rules that a checkpoint held, or none.
     *
     * @throws Exception if the state cannot be read, or is not what a checkpoint wrote
     */
    RuleState(OperatorStateStore store) throws Exception {
        inForce = store.getBroadcastState(messages("rules-in-force"));
        open = store.getBroadcastState(messages("open-transaction"));
        for (byte[] message : inOrder(inForce)) {
            transactions.accept(message);
        }
        for (byte[] message : inOrder(open)) {
            transactions.accept(message);
        }
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
        return transactions.current();
    }

    /** Waits until there is a rule set in force. */
    void await(RuleBootstrap bootstrap) throws Exception {
        bootstrap.await(transactions);
        inForceIsStale = true;
    }

    /**
     * Takes a message of the rules topic.
     *
     * @return the rule set that it put in force, or null if it did not commit one
     * @throws MalformedMessageException with the reason why a transaction or message is dropped;
     *     the rules in force stay as they were
     */
    @Nullable RuleSet accept(byte[] message) throws MalformedMessageException {
        RuleSet committed = transactions.accept(message);
        inForceIsStale |= committed != null;
        return committed;
    }

    /** Brings the states up to date, for a checkpoint. */
    void snapshot() throws Exception {
        if (inForceIsStale) {
            replace(inForce, transactions.committedMessages());
            inForceIsStale = false;
        }
        replace(open, transactions.openMessages());
    }

    private static void replace(BroadcastState<Integer, byte[]> state, List<byte[]> messages)
            throws Exception {
        state.clear();
        for (int i = 0; i < messages.size(); i++) {
            state.put(i, messages.get(i));
        }
    }
}

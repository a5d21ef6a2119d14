package dev.sluice.policy.kernel;

import dev.sluice.policy.kernel.KernelAnswer.Step;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Reader of the netlink messages that a packet causes: lines of legacy TRACE, events of nft trace
 * and logs of the namespace's own last chains.
 */
final class NetlinkMessages {
    private static final int LOGGED = 4 << 8;
    private static final int NFT_TRACE = 10 << 8 | 17;
    private static final int PASSED_GROUP = 7;
    private static final int LOG_PREFIX = 10;
    private static final int TRACE_TABLE = 1;
    private static final int TRACE_CHAIN = 2;
    private static final int TRACE_HANDLE = 3;
    private static final int TRACE_TYPE = 4;
    private static final int TYPE_RULE = 3;
    private static final String TRACE = "TRACE: ";
    private static final String OWN_TABLE = "sluice";

    private final LoadedRules rules;
    private boolean passed;
    private final List<Step> steps = new ArrayList<>();

    private NetlinkMessages(LoadedRules rules) {
        this.rules = rules;
    }

    static KernelAnswer answer(ByteBuffer messages, LoadedRules rules) {
        NetlinkMessages reader = new NetlinkMessages(rules);
        messages.order(ByteOrder.nativeOrder());
        while (messages.remaining() >= 16) {
            int start = messages.position();
            int length = messages.getInt(start);
            int type = messages.getShort(start + 4);
            int group = Short.toUnsignedInt(messages.getShort(start + 18));
            ByteBuffer attributes = messages.slice(start + 20, length - 20);
            reader.read(type, Short.toUnsignedInt(Short.reverseBytes((short) group)), attributes);
            messages.position(Math.min(start + aligned(length), messages.limit()));
        }
        return new KernelAnswer(reader.passed, reader.steps);
    }

    private void read(int type, int group, ByteBuffer attributes) {
        if (type == NFT_TRACE) {
            readTrace(values(attributes));
        } else if (type == LOGGED && group == PASSED_GROUP) {
            passed = true;
        } else if (type == LOGGED) {
            readLine(string(values(attributes).get(LOG_PREFIX)));
        }
    }

    /**
     * Reads {@code TRACE: filter:INPUT:rule:3}; an unconditional rule is called "return" or
     * "policy".
     */
    private void readLine(String line) {
        if (!line.startsWith(TRACE)) {
            return; // a LOG rule of the policy
        }
        String[] words = line.substring(TRACE.length()).trim().split(":", -1);
        steps.add(rules.byNumber(words[0], words[1], Integer.parseInt(words[3])));
    }

    private void readTrace(Map<Integer, byte[]> values) {
        String table = string(values.get(TRACE_TABLE));
        if (table.equals(OWN_TABLE)) {
            return;
        }
        String chain = string(values.get(TRACE_CHAIN));
        boolean rule = number(values.get(TRACE_TYPE)) == TYPE_RULE;
        long handle = rule ? number(values.get(TRACE_HANDLE)) : 0;
        Step step = rules.byHandle(table, chain, handle);
        boolean again =
                step.isEnd() && !steps.isEmpty() && steps.get(steps.size() - 1).equals(step);
        if (!again) { // the end of a base chain is told twice: as a return, and as the policy
            steps.add(step);
        }
    }

    private static Map<Integer, byte[]> values(ByteBuffer attributes) {
        attributes.order(ByteOrder.nativeOrder());
        Map<Integer, byte[]> values = new TreeMap<>();
        int at = 0;
        while (at + 4 <= attributes.limit()) {
            int length = Short.toUnsignedInt(attributes.getShort(at));
            byte[] value = new byte[length - 4];
            attributes.get(at + 4, value);
            values.put(attributes.getShort(at + 2) & 0x3fff, value);
            at += aligned(length);
        }
        return values;
    }

    private static int aligned(int length) {
        return (length + 3) & ~3;
    }

    private static long number(byte @Nullable [] bytes) {
        long number = 0;
        for (byte each : bytes == null ? new byte[0] : bytes) {
            number = number << 8 | (each & 0xff);
        }
        return number;
    }

    private static String string(byte @Nullable [] bytes) {
        String all = bytes == null ? "" : new String(bytes, StandardCharsets.UTF_8);
        return all.endsWith("\0") ? all.substring(0, all.length() - 1) : all;
    }
}

package dev.sluice.engine;

import dev.sluice.engine.bases.HeldVersion;
import dev.sluice.engine.bases.ServedBase;
import dev.sluice.engine.gpu.GpuClassifier;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.lookup.PendingVerdicts;
import dev.sluice.engine.lookup.StagedHeaders;
import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.engine.versions.VersionView;
import dev.sluice.engine.versions.VersionedRules;
import dev.sluice.schemas.header.HeaderBatch;
import dev.sluice.schemas.header.HeaderLayout;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A version of the rules that an {@link Engine} holds ready for look-ups.
 *
 * <p>A version is counted: the engine holds the one in force, and who got one from {@link
 * Engine#load}, {@link Engine#apply}, {@link Engine#acquire} or {@link #retain} holds it until its
 * own {@link #close}. With the last one it is closed: no batch of it may be under way, and none may
 * be submitted any more. What it shares with other versions goes with the last of those, so a
 * version that is held for long keeps a compiled base in memory.
 *
 * <p>Thread-safe.
 */
public final class RuleSetVersion implements ServedVersion {
    private final HeldVersion held;
    private final ServedBase base;
    private final VersionView view;
    private final AtomicInteger holders = new AtomicInteger(1);
    private volatile @Nullable RuleSet rules;

    /** A version that the engine holds once. */
    RuleSetVersion(HeldVersion held) {
        this.held = held;
        this.base = held.base();
        this.view = held.view();
    }

    @Override
    public String history() {
        return held.history();
    }

    @Override
    public long version() {
        return held.number();
    }

    /** Name of the rule set. */
    public String name() {
        return held.name();
    }

    @Override
    public String defaultAction() {
        return held.defaultAction();
    }

    /** Number of rules. */
    public int size() {
        return view.size();
    }

    @Override
    public int slots() {
        return view.slots();
    }

    /** {@inheritDoc} Takes some ns. */
    @Override
    public long ruleId(int verdict) {
        return view.ruleId(verdict);
    }

    /** {@inheritDoc} Takes a ns a verdict or two. */
    @Override
    public void ruleIds(int[] verdicts, int count, long[] ids) {
        view.ruleIds(verdicts, count, ids);
    }

    /**
     * {@inheritDoc} So it is where one came of the other by small changes. What else the rule says
     * may differ.
     */
    @Override
    public boolean numbersAlike(CountedRules other) {
        return other instanceof RuleSetVersion same
                && versionedRules() == same.versionedRules()
                && history().equals(same.history());
    }

    @Override
    public Rule rule(int verdict) {
        return view.rule(verdict);
    }

    /**
     * The rules as of this version in their total order. Of a version that was loaded these are the
     * rules that were loaded, and verdicts are positions among them; else they are put together at
     * the first call, and verdicts are no positions. For tools and tests: takes some ms per 10,000
     * rules.
     */
    public RuleSet rules() {
        RuleSet there = rules;
        if (there == null) {
            there = held.rules();
            rules = there;
        }
        return there;
    }

    @Override
    public HeaderLayout layout() {
        return base.base().layout();
    }

    /** An empty batch for headers to submit. */
    public HeaderBatch newBatch(int capacity) {
        return new HeaderBatch(layout(), capacity);
    }

    /** The algorithm that looks into the base on the CPU. */
    public Algorithm algorithm() {
        return base.algorithm();
    }

    /**
     * The algorithm that looks into the base on the device: that of the CPU, or another one where
     * the engine chose it there; empty where no device classifies.
     */
    public Optional<Algorithm> deviceAlgorithm() {
        return Optional.ofNullable(base.deviceAlgorithm());
    }

    /** Why the rules were compiled so: one readable line. */
    public String explanation() {
        return base.explanation();
    }

    /** Nanoseconds that compiling the base took, the choice of an algorithm included. */
    public long buildNanos() {
        return base.buildNanos();
    }

    /** Returns whether a device classifies, the CPU only where it helps. */
    public boolean onDevice() {
        return base.gpu() != null;
    }

    /**
     * Bytes that look-ups need, on the host and on a device, with what the version shares with
     * others.
     */
    public long bytes() {
        return versionedRules().bytes() + base.deviceBytes();
    }

    /**
     * {@inheritDoc}
     *
     * @throws IllegalStateException if it is closed
     */
    @Override
    public RuleSetVersion retain() {
        if (!tryRetain()) {
            throw closed();
        }
        return this;
    }

    private IllegalStateException closed() {
        return new IllegalStateException(
                "version %d of '%s' is closed; acquire the one in force"
                        .formatted(version(), name()));
    }

    private void requireOpen() {
        if (holders.get() == 0) {
            throw closed();
        }
    }

    boolean tryRetain() {
        return holders.getAndUpdate(before -> before > 0 ? before + 1 : 0) > 0;
    }

    /**
     * {@inheritDoc} Several batches may be under way.
     *
     * @throws IllegalStateException if the version is closed
     * @throws dev.sluice.engine.lookup.LayoutMismatchException if the batch was built for another
     *     layout
     */
    @Override
    public PendingVerdicts submit(HeaderBatch headers, VerdictBatch verdicts) {
        requireOpen();
        return base.submit(view, headers, verdicts);
    }

    /**
     * {@inheritDoc}
     *
     * @throws IllegalStateException if the version is closed
     */
    @Override
    public @Nullable StagedHeaders stage(int headers) {
        requireOpen();
        GpuClassifier gpu = base.gpu();
        return gpu == null ? null : gpu.stage(view, headers);
    }

    @Override
    public boolean isDeviceFull() {
        GpuClassifier gpu = base.gpu();
        return gpu != null && gpu.full();
    }

    @Override
    public void rest() {
        GpuClassifier gpu = base.gpu();
        if (gpu != null) {
            gpu.rest();
        }
    }

    EngineFigures figures() {
        return EngineFigures.of(base.gpu(), base.cache());
    }

    /** Returns the base and the view that it holds. */
    HeldVersion held() {
        return held;
    }

    /** Returns the rules that it is a version of. */
    VersionedRules versionedRules() {
        return held.versioned();
    }

    @Override
    public String toString() {
        return "version %d of '%s', %,d rules; %s"
                .formatted(version(), name(), size(), explanation());
    }

    /** {@inheritDoc} To close a version that is closed changes nothing. */
    @Override
    public void close() {
        if (holders.getAndUpdate(before -> Math.max(0, before - 1)) == 1) {
            held.close();
        }
    }
}

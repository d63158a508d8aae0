// Pace: where a machine is slow at drawing, pictures that move are coarser, those that stand are not.

/** Longer than this between pictures that move is slow, shorter than that is fast [ms]. */
const [SLOW, FAST] = [36, 18]
/** The coarsest, as a share of the screen's own pixels. */
const COARSEST = 0.5
/** After so long without a change the picture is drawn in full [ms]. */
const REST = 250

export class Pace {
  constructor() {
    this.share = 1
    this.mean = 25
    this.last = -Infinity
    this.coarse = false
    this.idle = true
  }

  /** Tell that a picture is drawn now; return the share of pixels that it shall have. */
  drawn(now) {
    const passed = now - this.last
    this.last = now
    // what follows a pause says nothing about speed
    if (!this.idle) {
      this.mean += 0.12 * (Math.min(passed, 200) - this.mean)
      if (this.mean > SLOW && this.share > COARSEST) this.settle(Math.max(COARSEST, 0.8 * this.share))
      else if (this.mean < FAST && this.share < 1) this.settle(Math.min(1, 1.1 * this.share))
    }
    this.idle = false
    this.coarse = this.share < 1
    return this.share
  }

  /** Take another share, and wait for what it does. */
  settle(share) {
    this.share = share
    this.mean = 25
  }

  /** Tell that nothing changes now; return whether it is time to draw the picture in full. */
  rests(now) {
    this.idle = true
    if (!this.coarse || now - this.last < REST) return false
    this.coarse = false
    return true
  }
}

use crate::conf::Conf;

const DECAY: [f32; 5] = [1.0, 0.8, 0.6, 0.4, 0.3];

/// the rate falls in five stages
pub fn rate(c: &Conf, step: u64) -> f32 {
    let stage = (step - 1) * DECAY.len() as u64 / c.steps;
    c.rate * DECAY[stage as usize]
}
